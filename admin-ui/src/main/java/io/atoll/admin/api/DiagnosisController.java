package io.atoll.admin.api;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Returns all diagnosis data at once, for a user who asks others for help. */
@RestController
@RequestMapping("/atoll/api")
class DiagnosisController {

    private static final MediaType ZIP = new MediaType("application", "zip");

    private final Diagnosis diagnosis;

    DiagnosisController(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
    }

    @GetMapping(path = "/diagnosis", produces = "application/zip")
    ResponseEntity<StreamingResponseBody> diagnosis(HttpServletRequest request) {
        Structures.refuseForeignPages(request);
        return ResponseEntity.ok()
                .contentType(ZIP)
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"atoll-diagnosis.zip\"")
                .body(diagnosis::writeTo);
    }
}
