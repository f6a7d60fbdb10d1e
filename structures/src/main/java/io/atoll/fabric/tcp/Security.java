package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.memory.WorldIdentity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How ranks know each other: by a secret, by certificates, or by both. If there is neither, every process is let in.
 *
 * @param secrets at least one if ranks must prove that they know a secret: the present one first, then those that it
 * replaces. Otherwise empty
 * @param certificates null if ranks need none
 * @param encrypts true if the traffic between ranks is encrypted. The secret then also proves that there is no attacker
 * in the middle
 */
public record Security(List<Secret> secrets, @Nullable Certificates certificates, boolean encrypts) {

    public Security {
        secrets = Keys.refuseTooMany(secrets);
        if (encrypts && secrets.isEmpty() && certificates == null) {
            throw new IllegalArgumentException("without a secret or certificates nobody knows who is at the other end,"
                    + " give one of them to encrypt");
        }
        if (!encrypts && certificates != null) {
            throw new IllegalArgumentException("certificates are a part of the encryption, encrypt or give none");
        }
    }

    /** Lets every process that reaches the port read and write the segment. */
    public static Security none() {
        return new Security(List.of(), null, false);
    }

    /** Lets in ranks that know the secret, and encrypts their traffic. */
    public static Security secret(Secret secret) {
        return new Security(List.of(secret), null, true);
    }

    /** Lets in ranks that show such a certificate, and encrypts their traffic. */
    public static Security certified(Certificates certificates) {
        return new Security(List.of(), certificates, true);
    }

    /** Returns the same security, but ranks also have to show such a certificate. */
    public Security and(Certificates shown) {
        return new Security(secrets, shown, encrypts);
    }

    /**
     * Returns the same security without encryption, for a wire that is closed to others. An attacker that can change
     * packets can take over an open connection.
     */
    public Security unencrypted() {
        return new Security(secrets, certificates, false);
    }

    /**
     * Returns the same security, extended by a previous secret. This rank lets in ranks that know only the previous
     * secret, and they let it in. This serves the time in which the secret is changed rank by rank.
     */
    public Security previous(Secret secret) {
        List<Secret> all = new ArrayList<>(secrets);
        all.add(secret);
        return new Security(all, certificates, encrypts);
    }

    Keys keys(WorldIdentity world) {
        return Keys.of(secrets, "tcp", world);
    }

    /** Returns how connections are encrypted, or null if they are not. */
    @Nullable Encryption encryption() {
        if (!encrypts) {
            return null;
        }
        return certificates == null ? Encryption.create() : Encryption.by(certificates);
    }
}
