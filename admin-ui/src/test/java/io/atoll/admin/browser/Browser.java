package io.atoll.admin.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium without a screen, which shows the console. Tests are skipped if it is not installed. */
public final class Browser implements AutoCloseable {

    private static final File CHROMIUM = new File("/usr/bin/chromium");
    private static final File DRIVER = new File("/usr/bin/chromedriver");
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ChromeDriver driver;
    private final String console;

    private Browser(ChromeDriver driver, String console) {
        this.driver = driver;
        this.console = console;
    }

    /** Opens a browser for the console at this port. */
    public static Browser open(int port) {
        if (!CHROMIUM.canExecute() || !DRIVER.canExecute()) {
            abort("The page is not tried: there is no Chromium. Debian: apt-get install chromium chromium-driver");
        }
        ChromeOptions options = new ChromeOptions().setBinary(CHROMIUM);
        // Root in a container has no sandbox, and little shared memory.
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking",
                "--window-size=1280,1000");
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER).build();
        return new Browser(new ChromeDriver(service, options), "http://127.0.0.1:" + port + "/atoll/");
    }

    /** Loads the page at an address such as {@code ranks/9}, and waits until the view is there. */
    public Browser load(String address) {
        visit(address);
        return awaitView();
    }

    /** Loads the page at an address as above. It may redirect. */
    public void visit(String address) {
        // An empty page comes first, since a change of the fragment alone would load nothing.
        driver.get("about:blank");
        driver.get(console + "#" + address);
    }

    /** Moves to a view as a link does. */
    public Browser go(String address) {
        run("location.hash = arguments[0]", address);
        return awaitView();
    }

    private Browser awaitView() {
        await("document.querySelector('#view h1') && document.querySelector('#view').ariaBusy === 'false'");
        return this;
    }

    /** Waits until the JavaScript expression is true. */
    public void await(String expression) {
        until(expression, () -> assertThat(run("return !!(" + expression + ")")).isEqualTo(true));
    }

    /** Waits until the selected element has the text. */
    public void awaitText(String selector, String text) {
        until(selector + " has: " + text, () -> assertThat(text(selector)).contains(text));
    }

    private void until(String what, ThrowingRunnable assertion) {
        try {
            Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(what + "; the page shows: " + text("body"), late);
        }
    }

    /** Returns the text that the selector's first element shows; empty if there is none. */
    public String text(String selector) {
        return Objects.toString(
                run("return document.querySelector(arguments[0])?.innerText ?? ''", selector), "");
    }

    @SuppressWarnings("unchecked")
    public List<String> texts(String selector) {
        return (List<String>) Objects.requireNonNull(
                run("return [...document.querySelectorAll(arguments[0])].map((it) => it.innerText)", selector));
    }

    public long count(String selector) {
        return (Long) Objects.requireNonNull(run("return document.querySelectorAll(arguments[0]).length", selector));
    }

    public WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    public void click(String selector) {
        find(selector).click();
    }

    /** Types into the element that has the focus. */
    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Presses the tabulator until an element of the selector has the focus. */
    public void tabTo(String selector) {
        for (int steps = 0; steps < 200; steps++) {
            if (Boolean.TRUE.equals(run("return document.activeElement.matches(arguments[0])", selector))) {
                return;
            }
            press(Keys.TAB);
        }
        throw new AssertionError("the tabulator does not reach " + selector);
    }

    public @Nullable Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    public String address() {
        return Objects.toString(driver.getCurrentUrl(), "");
    }

    public void back() {
        driver.navigate().back();
        awaitView();
    }

    /** Acts as this user from now on. */
    public void authenticate(String user, String password) {
        String secret = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        driver.executeCdpCommand("Network.enable", Map.of());
        driver.executeCdpCommand("Network.setExtraHTTPHeaders",
                Map.of("headers", Map.of("Authorization", "Basic " + secret)));
    }

    public void useDark(boolean isDark) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features",
                List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    }

    public void resize(int width, int height) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Returns the browser's complaints since the last call, such as what the page's policy forbids. */
    public List<String> complaints() {
        return driver.manage()
                .logs()
                .get(LogType.BROWSER)
                .getAll()
                .stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    /** Returns the serious and critical findings of axe-core, each with its elements. */
    @SuppressWarnings("unchecked")
    public List<String> barriers() {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js")) {
            driver.executeScript(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return (List<String>) driver.executeAsyncScript(
                """
                        const tell = arguments[arguments.length - 1];
                        axe.run(document, { resultTypes: ['violations'] }).then((found) => tell(found.violations
                          .filter((it) => ['serious', 'critical'].includes(it.impact))
                          .map((it) => `${it.id}: ${it.nodes.slice(0, 4).map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`)));
                        """);
    }

    /**
     * An element as a screen reader is told of it.
     *
     * @param properties for example the {@code level} of a heading
     */
    public record Spoken(String role, String name, Map<String, Object> properties) {}

    /** Returns the accessibility tree in reading order, without parts that are hidden from screen readers. */
    @SuppressWarnings("unchecked")
    public List<Spoken> spoken() {
        driver.executeCdpCommand("Accessibility.enable", Map.of());
        List<Map<String, Object>> nodes = (List<Map<String, Object>>) Objects
                .requireNonNull(driver.executeCdpCommand("Accessibility.getFullAXTree", Map.of()).get("nodes"));
        driver.executeCdpCommand("Accessibility.disable", Map.of());
        return nodes.stream()
                .filter(node -> !Boolean.TRUE.equals(node.get("ignored")))
                .map(node -> new Spoken(value(node.get("role")), value(node.get("name")),
                        ((List<Map<String, Object>>) node.getOrDefault("properties", List.of())).stream()
                                .collect(Collectors.toMap(property -> (String) property.get("name"),
                                        property -> value(property.get("value"))))))
                .toList();
    }

    private static String value(@Nullable Object of) {
        return of instanceof Map<?, ?> said ? Objects.toString(said.get("value"), "") : "";
    }

    /** Keeps a picture of the page in {@code target/screenshots}. */
    public void photograph(String name) {
        try {
            Path folder = Files.createDirectories(Path.of("target", "screenshots"));
            Files.write(folder.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
