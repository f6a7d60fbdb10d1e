package io.atoll.spring.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ForeignPagesTest {

    private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/atoll/api/actions/reclaim");

    @ParameterizedTest
    @CsvSource({"Origin, http://localhost", "Origin, http://LOCALHOST:80", "Sec-Fetch-Site, same-origin",
        "Sec-Fetch-Site, none"})
    void aPageOfThisOriginMayAct(String header, String value) {
        request.addHeader(header, value);
        assertThat(ForeignPages.refusal(request)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Origin, http://localhost:81", "Origin, https://localhost",
        "Origin, null", "Origin, http://evil.example@localhost", "Sec-Fetch-Site, cross-site",
        "Sec-Fetch-Site, same-site"})
    void aPageOfAnotherOriginMayNot(String header, String value) {
        request.addHeader(header, value);
        assertThat(ForeignPages.refusal(request)).contains(header);
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://localhost, http://evil.example", "Sec-Fetch-Site, same-origin, cross-site"})
    void aRepeatedHeaderMustBeRightEachTime(String header, String right, String wrong) {
        request.addHeader(header, right);
        request.addHeader(header, wrong);
        assertThat(ForeignPages.refusal(request)).contains(header);
    }

    @Test
    void aRefusalIsJsonWhateverItTells() throws IOException {
        var response = new MockHttpServletResponse();
        String detail = "user=\"eve\"\\\n\u0001\u00e9";
        Refusal.answer(response, 403, "Forbidden", detail);
        assertThat(JsonPath.<String>read(response.getContentAsString(UTF_8),
                "$.detail")).isEqualTo(detail);
        assertThat(response.getStatus()).isEqualTo(403);
    }
}
