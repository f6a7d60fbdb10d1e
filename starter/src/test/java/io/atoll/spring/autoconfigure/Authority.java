package io.atoll.spring.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A certificate authority for the time of a test, made by the JDK's keytool. */
final class Authority {

    static final String PASSWORD = "changeit";

    private static final String SIGNER = "authority";

    private final Path folder;
    private final Path store;

    private Authority(Path folder) {
        this.folder = folder;
        this.store = folder.resolve("authority.p12");
    }

    static Authority create(Path folder) throws IOException, InterruptedException {
        Authority authority = new Authority(folder);
        authority.makeKey(SIGNER, "-ext", "bc:critical=ca:true");
        Path certificate = folder.resolve("authority.pem");
        keytool("-exportcert", "-rfc", "-alias", SIGNER, "-keystore", authority.store, "-storepass", PASSWORD, "-file",
                certificate);
        keytool("-importcert", "-noprompt", "-alias", SIGNER, "-file", certificate, "-keystore", authority.trust(),
                "-storetype", "PKCS12", "-storepass", PASSWORD);
        return authority;
    }

    /** Returns a key store with the certificate of the authority. */
    Path trust() {
        return folder.resolve("trust.p12");
    }

    /** Returns a key store with a key and its certificate for that name, such as {@code dns:shop-0.shop}. */
    Path issue(String name) throws IOException, InterruptedException {
        return sign(name.replaceAll("[^a-z0-9]", "-"), "-ext", "san=" + name);
    }

    /** Returns a key store with a key and its certificate, which has a common name only. */
    Path issueWithoutName() throws IOException, InterruptedException {
        return sign("nameless");
    }

    private Path sign(String alias, String... extension) throws IOException, InterruptedException {
        Path issued = folder.resolve(alias + ".p12");
        makeKey(alias, Stream.concat(Stream.of("-signer", SIGNER), Stream.of(extension)).toArray());
        keytool("-importkeystore", "-srckeystore", store, "-srcstorepass", PASSWORD, "-srcalias", alias,
                "-destkeystore", issued, "-deststoretype", "PKCS12", "-deststorepass", PASSWORD);
        return issued;
    }

    private void makeKey(String alias, Object... more) throws IOException, InterruptedException {
        List<Object> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-keyalg", "EC", "-groupname",
                "secp256r1", "-dname", "CN=" + alias, "-validity", "2", "-storetype", "PKCS12", "-keystore", store,
                "-storepass", PASSWORD));
        arguments.addAll(List.of(more));
        keytool(arguments.toArray());
    }

    private static void keytool(Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        List.of(arguments).forEach(argument -> command.add(argument.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes());
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("keytool failed: " + said);
        }
    }
}
