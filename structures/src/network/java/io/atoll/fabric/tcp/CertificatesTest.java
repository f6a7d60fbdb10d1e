package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.fabric.link.Secret;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests which names in certificates belong to ranks. The tests with Spring's bundles cover how ranks show certificates
 * to each other.
 */
@Tag("network")
class CertificatesTest {

    private static final int MAIL = 1; // a kind of general name, as RFC 5280 numbers them
    private static final int HOST = 2;
    private static final int URI = 6;
    private static final int ADDRESS = 7;

    private static final Supplier<SSLContext> CONTEXT = () -> {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    };

    private static Security.Certificates of(String... peers) {
        return new Security.Certificates(CONTEXT, List.of(), List.of(peers));
    }

    @ParameterizedTest
    @CsvSource({"shop-0.shop, shop-0.shop", "shop-0.SHOP, shop-0.shop", "*.shop, shop-0.shop",
        "shop-*.shop, shop-17.shop",
        "*.*.example.com, a.b.example.com", "*, anything.at.all"})
    void aHostHasTheName(String peer, String name) {
        assertThat(of("another", peer).isPeer(HOST, name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"shop-0.shop, shop-1.shop", "shop-0.shop, shop-0xshop", "*.shop, shop", "*.shop, a.b.shop",
        "*.shop, shop-0.shop.example.com", "shop-*, shop-0.shop", "*.shop, .evil", "shop, shop-0"})
    void aHostHasNotTheName(String peer, String name) {
        assertThat(of(peer).isPeer(HOST, name)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"spiffe://c/ns/shop/sa/one, spiffe://c/ns/shop/sa/one",
        "spiffe://c/ns/shop/*, spiffe://c/ns/shop/sa/one",
        "spiffe://c/ns/*/sa/one, spiffe://c/ns/shop/sa/one", "*, spiffe://c/ns/shop/sa/one"})
    void aUriIsTheName(String peer, String name) {
        assertThat(of(peer).isPeer(URI, name)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"spiffe://c/ns/shop/*, spiffe://c/ns/shops/sa/one", "spiffe://c/ns/*/sa/one, spiffe://c/ns/a/b/sa/one",
        "spiffe://c/ns/shop/sa/one, spiffe://c/ns/shop/sa/ONE", "spiffe://*, https://c/ns/shop"})
    void aUriIsNotTheName(String peer, String name) {
        assertThat(of(peer).isPeer(URI, name)).isFalse();
    }

    @Test
    void anAddressIsANameAndAMailboxIsNone() {
        assertThat(of("10.0.0.*").isPeer(ADDRESS, "10.0.0.7")).isTrue();
        assertThat(of("10.0.0.*").isPeer(ADDRESS, "10.0.1.7")).isFalse();
        assertThat(of("*").isPeer(MAIL, "shop@example.com")).isFalse();
    }

    @Test
    void whatIsQuotedInANameStaysQuoted() {
        assertThat(of("a\\E.*\\Qb").isPeer(HOST, "a-anything-b")).isFalse();
        assertThat(of(".+").isPeer(HOST, "shop-0")).isFalse();
    }

    @Test
    void withoutNamesEverybodyWouldBeLetInAndNobodyIs() {
        assertThatIllegalArgumentException().isThrownBy(() -> of()).withMessageContaining("name those that are ranks");
    }

    @Test
    void ciphersThatThereAreNotAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Security.Certificates(CONTEXT, List.of("TLS_NONE"), List.of("*")))
                .withMessageContaining("TLS_NONE");
        assertThat(new Security.Certificates(CONTEXT, List.of("TLS_AES_256_GCM_SHA384"), List.of("*")).ciphers())
                .hasSize(1);
    }

    @Test
    void certificatesAreAPartOfTheEncryption() {
        Security both = Security.secret(Secret.of("a secret that is long enough to be one")).and(of("*"));
        assertThat(both.encrypts()).isTrue();
        assertThat(both.secrets()).hasSize(1);
        assertThat(both.certificates()).isNotNull();
        assertThatIllegalArgumentException().isThrownBy(both::unencrypted)
                .withMessageContaining("encrypt or give none");
    }
}
