package io.atoll.spring.autoconfigure.structure;

import java.util.ArrayList;
import java.util.List;

/** A value of a class for which Atoll has no codec. */
class Parcel {

    String label = "";
    List<String> contents = new ArrayList<>();

    static Parcel of(String label, String... contents) {
        Parcel parcel = new Parcel();
        parcel.label = label;
        parcel.contents.addAll(List.of(contents));
        return parcel;
    }
}
