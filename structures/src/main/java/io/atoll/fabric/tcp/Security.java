package io.atoll.fabric.tcp;

import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Secret;
import io.atoll.memory.WorldIdentity;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
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

    /**
     * The certificates by which ranks know each other. Each rank shows its own and checks that of the other. An
     * authority may give certificates to all applications of a company, so names say which of them are ranks.
     *
     * @param context holds the own key, and knows the authorities. It is asked for each connection, so that the next
     * one can use another key
     * @param ciphers the ciphers of TLS 1.3 that may be used; empty for Java's own choice
     * @param peers names, of which each certificate must have one as a subject alternative name: of a host, an address
     * or a URI. A {@code *} stands for any characters up to the next dot of a host or slash of a URI. At the end of a
     * URI it stands for everything, and so does a name that is only {@code *}
     */
    public record Certificates(Supplier<SSLContext> context, List<String> ciphers, List<String> peers) {

        private static final String ANY = "*";
        private static final int HOST = 2;
        private static final int URI = 6;
        private static final int ADDRESS = 7;

        public Certificates {
            ciphers = List.copyOf(ciphers);
            peers = List.copyOf(peers);
            if (peers.isEmpty()) {
                throw new IllegalArgumentException("everybody with a certificate of the same authority would be let in,"
                        + " name those that are ranks, or let in all by a *");
            }
            List<String> known = List.of(context.get().getSupportedSSLParameters().getCipherSuites());
            if (!known.containsAll(ciphers)) {
                throw new IllegalArgumentException("these ciphers are not all known: ciphers=" + ciphers + " known="
                        + known);
            }
        }

        /** Returns true if the certificate has one of the names. */
        boolean areOf(X509Certificate certificate) throws CertificateParsingException {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names != null
                    && names.stream().anyMatch(name -> isPeer((int) name.getFirst(), name.getLast().toString()));
        }

        /** @param kind the kind of name, as RFC 5280 numbers them */
        boolean isPeer(int kind, String name) {
            return (kind == HOST || kind == URI || kind == ADDRESS)
                    && peers.stream().anyMatch(peer -> pattern(peer, kind).matcher(name).matches());
        }

        private static Pattern pattern(String peer, int kind) {
            if (peer.equals(ANY)) {
                return Pattern.compile(".*");
            }
            boolean isOpen = kind == URI && peer.endsWith(ANY);
            String fixed = isOpen ? peer.substring(0, peer.length() - ANY.length()) : peer;
            String regex = Pattern.quote(fixed).replace(ANY, "\\E[^" + (kind == URI ? '/' : '.') + "]*\\Q");
            return Pattern.compile(isOpen ? regex + ".*" : regex, kind == HOST ? Pattern.CASE_INSENSITIVE : 0);
        }
    }

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
