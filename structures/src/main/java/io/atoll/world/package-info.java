/**
 * A rank's part in a world: what ranks rely on of each other, and the directory of named structures.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@code Participant}: a rank, with its segment, its peers and its services. {@code Peers}: which ranks it has met.
 * {@code Membership} and {@code Member}: how ranks find each other.
 * <li>{@code Directory}, {@code DirectoryEntry}, {@code Creation}: any rank creates or finds named structures, even if
 * a rank dies on the way. {@code Handle} opens a structure on first use.
 * <li>{@code Waits}, {@code WaitReason}, {@code Reservations}: how a rank waits for an operation that another is in the
 * middle of, and when it may repair instead.
 * <li>{@code FencedFabric}: how a rank that was removed is kept out.
 * </ol>
 */
@NullMarked
package io.atoll.world;

import org.jspecify.annotations.NullMarked;
