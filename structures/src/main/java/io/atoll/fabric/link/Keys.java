package io.atoll.fabric.link;

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
 * Proves that this process knows a secret, and checks that another process does, without sending the secret. A proof is
 * HMAC-SHA256 over the role of the prover and all words of both sides. The words include fresh random numbers of each
 * side. So a proof can neither be sent back to its maker nor used again. The keys are derived from the secrets, the
 * transport and the world (HKDF). So a proof for one world or transport is worth nothing in another.
 */
public final class Keys {

    /** The most secrets that a process knows. */
    public static final int MOST = 3;

    public static final int PROOF_BYTES = 32;
    public static final int NONCE_BYTES = 32;

    /** The role of a prover that asks to be let in. */
    public static final String CALLER = "caller";

    /** The role of a prover that lets others in. */
    public static final String OWNER = "owner";

    public static final int NONE = -1;

    private static final String MAC = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<SecretKey> keys;
    private final int proofBytes;

    private Keys(List<SecretKey> keys, int proofBytes) {
        this.keys = keys;
        this.proofBytes = proofBytes;
    }

    /**
     * Returns the secrets.
     *
     * @throws IllegalArgumentException if there are more than {@value #MOST}
     */
    public static List<Secret> refuseTooMany(List<Secret> secrets) {
        if (secrets.size() > MOST) {
            throw new IllegalArgumentException("at most " + (MOST - 1)
                    + " previous secrets can be known, drop the oldest: previous=" + (secrets.size() - 1));
        }
        return List.copyOf(secrets);
    }

    /** @param secrets the present one first; empty if nothing has to be proved */
    public static Keys of(List<Secret> secrets, String transport, WorldIdentity world) {
        byte[] worldId = ByteBuffer.allocate(Long.BYTES).putLong(world.id()).array();
        List<SecretKey> keys = new ArrayList<>();
        try {
            KDF derivation = KDF.getInstance("HKDF-SHA256");
            for (Secret secret : secrets) {
                keys.add(derivation.deriveKey(MAC, HKDFParameterSpec.ofExtract()
                        .addIKM(secret.bytes())
                        .addSalt(("atoll-" + transport).getBytes(StandardCharsets.US_ASCII))
                        .thenExpand(worldId, PROOF_BYTES)));
            }
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java runtime has HKDF and HMAC with SHA-256", missing);
        }
        return new Keys(keys, PROOF_BYTES);
    }

    /**
     * Returns the same keys with shortened proofs, for transports without room for more. A proof is then only the first
     * bytes.
     */
    public Keys shortened(int bytes) {
        return new Keys(keys, bytes);
    }

    /** Returns true if ranks have to prove themselves. */
    public boolean areNeeded() {
        return !keys.isEmpty();
    }

    public static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** Returns a proof by this key. */
    public byte[] proof(int key, String role, byte[]... said) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(keys.get(key));
            mac.update(role.getBytes(StandardCharsets.US_ASCII));
            for (byte[] each : said) {
                mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(each.length).array());
                mac.update(each);
            }
            return Arrays.copyOf(mac.doFinal(), proofBytes);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every Java runtime has HMAC with SHA-256", missing);
        }
    }

    /** Returns a proof by each key. Fills the places of missing keys with random numbers, which prove nothing. */
    public byte[] proofs(String role, byte[]... said) {
        byte[] proofs = new byte[MOST * proofBytes];
        RANDOM.nextBytes(proofs);
        for (int key = 0; key < keys.size(); key++) {
            System.arraycopy(proof(key, role, said), 0, proofs, key * proofBytes, proofBytes);
        }
        return proofs;
    }

    /**
     * Returns the key for which one of the proofs is right, or {@link #NONE}. The time it takes does not depend on
     * which one that is.
     */
    public int matching(byte[] proofs, String role, byte[]... said) {
        int found = NONE;
        for (int key = 0; key < keys.size(); key++) {
            byte[] expected = proof(key, role, said);
            for (int at = 0; at < proofs.length; at += proofBytes) {
                byte[] one = Arrays.copyOfRange(proofs, at, at + proofBytes);
                found = MessageDigest.isEqual(expected, one) && found == NONE ? key : found;
            }
        }
        return found;
    }
}
