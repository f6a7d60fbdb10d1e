package io.atoll.fabric.tcp;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.HexFormat;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3, by certificates of the ranks, or by a certificate that is made when the process starts. No process trusts
 * the latter. It only gives keys: the secret proves that the other end is a rank. The proof is bound to a text that
 * only the two ends of this session know; see {@link TlsWire#binding}. An attacker in the middle has one session with
 * each end, and so two different texts.
 */
final class Encryption {

    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final String[] APPLICATION_PROTOCOLS = {"atoll/1"};
    private static final char[] NO_PASSWORD = {};
    private static final String NAME = "atoll";

    private final Supplier<SSLContext> context;
    private final Security.@Nullable Certificates certificates;

    private Encryption(Supplier<SSLContext> context, Security.@Nullable Certificates certificates) {
        this.context = context;
        this.certificates = certificates;
    }

    /** Encrypts by certificates that both sides show. */
    static Encryption by(Security.Certificates certificates) {
        return new Encryption(certificates.context(), certificates);
    }

    /** Encrypts by a certificate that proves nothing. */
    static Encryption create() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry(NAME, pair.getPrivate(), NO_PASSWORD, new Certificate[]{certificate(pair)});
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(managers.getKeyManagers(), new TrustManager[]{new TrustNobody()}, new SecureRandom());
            return new Encryption(() -> context, null);
        } catch (GeneralSecurityException | IOException missing) {
            throw new IllegalStateException("every Java runtime has TLS 1.3 with EC keys", missing);
        }
    }

    SSLEngine engine(boolean isCaller) {
        SSLEngine engine = context.get().createSSLEngine();
        engine.setUseClientMode(isCaller);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setApplicationProtocols(APPLICATION_PROTOCOLS);
        if (certificates != null) {
            parameters.setNeedClientAuth(!isCaller);
            if (!certificates.ciphers().isEmpty()) {
                parameters.setCipherSuites(certificates.ciphers().toArray(String[]::new));
            }
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Returns true if the other end of the session has shown a certificate of a rank, or does not need one. */
    boolean isPeer(SSLSession session) throws SSLPeerUnverifiedException {
        try {
            return certificates == null
                    || certificates.areOf((X509Certificate) session.getPeerCertificates()[0]);
        } catch (CertificateParsingException malformed) {
            return false;
        }
    }

    // --- the certificate ---

    /** Returns a self-signed certificate of RFC 5280 without extensions. */
    private static X509Certificate certificate(KeyPair pair) throws GeneralSecurityException {
        byte[] algorithm = sequence(HexFormat.of().parseHex("06082a8648ce3d040302")); // ecdsa-with-SHA256
        byte[] commonName = sequence(HexFormat.of().parseHex("0603550403"), element(0x0C, ascii(NAME)));
        byte[] name = sequence(element(0x31, commonName));
        byte[] validity = sequence(element(0x17, ascii("200101000000Z")), element(0x17, ascii("491231235959Z")));
        byte[] version = element(0xA0, element(0x02, new byte[]{2}));
        byte[] serial = element(0x02, new byte[]{1});
        byte[] signed = sequence(version, serial, algorithm, name, validity, name, pair.getPublic().getEncoded());
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(signed);
        byte[] bits = element(0x03, joined(new byte[]{0}, signature.sign()));
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(sequence(signed, algorithm, bits)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] sequence(byte[]... parts) {
        return element(0x30, joined(parts));
    }

    /** Returns an element of DER: its tag, its length, its content. */
    private static byte[] element(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            out.write(0x82); // two bytes of length follow
            out.write(content.length >>> Byte.SIZE);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Accepts any certificate, since none proves anything here. */
    private static final class TrustNobody extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
