package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.admin.browser.Browser;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** Signing in by a browser. */
@Timeout(180)
@Tag("slow")
class SignInPageTest {

    @Test
    void thePageLeadsToTheProviderAndBackToTheSameView() throws Exception {
        try (IdentityProvider provider = new IdentityProvider();
                ServletWebServerApplicationContext node = SignInTest.node(provider.settings(),
                        "--node.authorities-claim=roles", "--node.users.ada.password=analytical");
                Browser browser = Browser.open(node.getWebServer().getPort())) {
            provider.asks(true);
            provider.says(claims -> claims.claim("roles", List.of("ATOLL_ADMIN")));
            browser.visit("epochs?sort=-rank");
            browser.await("document.querySelector('button[name=sure]')");
            assertThat(browser.address()).startsWith(provider.issuer());
            browser.click("button[name=sure]");
            browser.await("document.querySelector('button.act')");
            assertThat(browser.address()).endsWith("/atoll/#epochs?sort=-rank");
            browser.click("button.act");
            browser.await("document.querySelector('dialog').open");
            browser.click("dialog button.act");
            browser.awaitText("#outcome", "freed");
            browser.awaitText("#user", IdentityProvider.USER);

            browser.click("#sign-out");
            browser.await("location.pathname === '/end'");
            assertThat(browser.address()).startsWith(provider.issuer());
            // This page does not lead to the provider again, which would sign in at once.
            browser.run("location.assign(arguments[0])", SignInTest.address(node) + "/atoll/?sign-in=ended#ranks");
            browser.awaitText("#trouble", "You have signed out.");
            provider.asks(false);
            browser.click("#sign-in");
            browser.await("document.querySelector('.tile.joined')");
            assertThat(browser.address()).endsWith("/atoll/#ranks");
        }
    }

    /**
     * Simulates an address that leads to another node, which does not know the session. Here the browser does not send
     * the cookie.
     */
    @Test
    void whoIsNotKnownAfterwardsIsNotLedOnAndOn() throws Exception {
        try (IdentityProvider provider = new IdentityProvider();
                ServletWebServerApplicationContext node = SignInTest.node(provider.settings(),
                        "--server.servlet.session.cookie.path=/login");
                Browser browser = Browser.open(node.getWebServer().getPort())) {
            browser.visit("ranks");
            browser.awaitText("#trouble", "session affinity");
            assertThat(browser.address()).endsWith("/atoll/#ranks");
            assertThat(browser.count("#sign-in")).isOne();
        }
    }
}
