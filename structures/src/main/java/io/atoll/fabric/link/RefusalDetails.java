package io.atoll.fabric.link;

/**
 * The words of a rank about itself, when it refuses a request.
 *
 * @param incarnation its own incarnation
 * @param born the incarnation in which its segment was made
 * @param met the highest incarnation of the requester that it has met or shut out, 0 for none
 */
public record RefusalDetails(int incarnation, int born, int met) {

    /** The answer to a requester that has not proved to be a rank of this world. */
    public static final RefusalDetails NOTHING = new RefusalDetails(0, 0, 0);
}
