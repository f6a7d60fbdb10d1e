package io.atoll.fabric.tcp;

import io.atoll.memory.WorldIdentity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Proves that this process knows a secret, and checks that another does, without sending it. A proof is HMAC-SHA256
 * over the role of the prover and all that both sides have said. That includes fresh random numbers of each. So a proof
 * can neither be sent back to its maker nor used again. The keys are derived from the secrets and the world (HKDF), so
 * a proof for one world says nothing in another.
 */
final class Keys {

    /** How many secrets a process knows, at most. */
    static final int MOST = 3;

    static final int PROOF_BYTES = 32;
    static final int NONCE_BYTES = 32;

    /** The prover asks to be let in. */
    static final String CALLER = "caller";

    /** The prover lets in. */
    static final String OWNER = "owner";

    static final int NONE = -1;

    private static final String MAC = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<SecretKey> keys;

    private Keys(List<SecretKey> keys) {
        this.keys = keys;
    }

    static Keys of(Security security, WorldIdentity world) {
        byte[] worldId = ByteBuffer.allocate(Long.BYTES).putLong(world.id()).array();
        List<SecretKey> keys = new ArrayList<>();
        try {
            KDF derivation = KDF.getInstance("HKDF-SHA256");
            for (Secret secret : security.secrets()) {
                keys.add(derivation.deriveKey(MAC, HKDFParameterSpec.ofExtract()
                        .addIKM(secret.bytes())
                        .addSalt("atoll-tcp".getBytes(StandardCharsets.US_ASCII))
                        .thenExpand(worldId, PROOF_BYTES)));
            }
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java runtime has HKDF and HMAC with SHA-256", missing);
        }
        return new Keys(keys);
    }

    /** Returns whether proofs are asked for. */
    boolean areNeeded() {
        return !keys.isEmpty();
    }

    static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** Returns a proof by that key. */
    byte[] proof(int key, String role, byte[]... said) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(keys.get(key));
            mac.update(role.getBytes(StandardCharsets.US_ASCII));
            for (byte[] each : said) {
                mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(each.length).array());
                mac.update(each);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java runtime has HMAC with SHA-256", missing);
        }
    }

    /** Returns a proof by each key, and numbers that prove nothing in the places of those that there are not. */
    byte[] proofs(String role, byte[]... said) {
        byte[] proofs = new byte[MOST * PROOF_BYTES];
        RANDOM.nextBytes(proofs);
        for (int key = 0; key < keys.size(); key++) {
            System.arraycopy(proof(key, role, said), 0, proofs, key * PROOF_BYTES, PROOF_BYTES);
        }
        return proofs;
    }

    /** Returns the key by which one of the proofs holds, or {@link #NONE}. Takes as long whichever it is. */
    int matching(byte[] proofs, String role, byte[]... said) {
        int found = NONE;
        for (int key = 0; key < keys.size(); key++) {
            byte[] expected = proof(key, role, said);
            for (int at = 0; at < proofs.length; at += PROOF_BYTES) {
                byte[] one = Arrays.copyOfRange(proofs, at, at + PROOF_BYTES);
                found = MessageDigest.isEqual(expected, one) && found == NONE ? key : found;
            }
        }
        return found;
    }
}
