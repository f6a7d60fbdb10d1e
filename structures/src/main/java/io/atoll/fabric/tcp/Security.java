package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.memory.WorldIdentity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * By what ranks know each other: a secret, certificates, or both. With neither, anybody is let in.
 *
 * @param secrets one at least where ranks must prove that they know one: the first is the present one, the others are
 * those that it replaces. Else empty
 * @param certificates null where ranks need none
 * @param encrypts whether what ranks send to each other is encrypted. The secret proves then, too, that nobody stands
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

    /** Anybody who reaches the port may read and write the segment. */
    public static Security none() {
        return new Security(List.of(), null, false);
    }

    /** Ranks that know the secret are let in, and what they send is encrypted. */
    public static Security secret(Secret secret) {
        return new Security(List.of(secret), null, true);
    }

    /** Ranks that show such a certificate are let in, and what they send is encrypted. */
    public static Security certified(Certificates certificates) {
        return new Security(List.of(), certificates, true);
    }

    /** The same, but ranks show such a certificate, too. */
    public Security and(Certificates shown) {
        return new Security(secrets, shown, encrypts);
    }

    /**
     * The same, but what ranks send is not encrypted: for a wire that nobody else reaches. A process that can change
     * packets takes over a connection that is open.
     */
    public Security unencrypted() {
        return new Security(secrets, certificates, false);
    }

    /**
     * Also lets in, and is let in by, ranks that know a previous secret: for the time in which the secret is changed
     * rank by rank.
     */
    public Security previous(Secret secret) {
        List<Secret> all = new ArrayList<>(secrets);
        all.add(secret);
        return new Security(all, certificates, encrypts);
    }

    Keys keys(WorldIdentity world) {
        return Keys.of(secrets, "tcp", world);
    }

    /** Returns how connections are encrypted; null where they are not. */
    @Nullable Encryption encryption() {
        if (!encrypts) {
            return null;
        }
        return certificates == null ? Encryption.create() : Encryption.by(certificates);
    }
}
