package io.atoll.admin.api;

import io.atoll.map.MapPlace;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Shows the contents of structures, if the application allows that they are shown. */
@RestController
@RequestMapping("/atoll/api")
class EntryController {

    private final Structures structures;
    private final boolean shown;

    EntryController(Structures structures, boolean shown) {
        this.structures = structures;
        this.shown = shown;
    }

    @GetMapping("/entries")
    SomeEntries entries(@RequestParam String structure, @RequestParam(defaultValue = "0") int rank,
            @RequestParam(defaultValue = "0") long home) {
        check();
        return structures.entries(structure, new MapPlace(rank, home));
    }

    @GetMapping("/entry")
    Entry entry(@RequestParam String structure, @RequestParam String key) {
        check();
        return structures.entry(structure, key);
    }

    private void check() {
        if (!shown) {
            throw Structures.problem(HttpStatus.FORBIDDEN,
                    "keys and values may be confidential, they are shown by atoll.admin.entries=true");
        }
    }
}
