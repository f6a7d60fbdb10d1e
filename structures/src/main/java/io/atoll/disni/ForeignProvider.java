package io.atoll.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's provider on Java's foreign functions. Once it is installed, every object of DiSNI's API is one of it:
 * <pre>{@code
 * ForeignProvider.install();
 * RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
 * RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
 * }</pre>
 * Native access must be granted to the code's module ({@code --enable-native-access=ALL-UNNAMED} on the class path).
 */
public final class ForeignProvider extends RdmaProvider {

    private static @Nullable ForeignProvider instance;

    private final ForeignVerbs verbs = new ForeignVerbs();
    private final ForeignRdmaCm connectionManager = new ForeignRdmaCm();

    private ForeignProvider() {}

    /**
     * Makes this DiSNI's provider, for the whole process. Must be called before any other use of DiSNI. Does nothing if
     * it is the provider already.
     *
     * @throws IllegalStateException if DiSNI has another provider, since its objects and this one's do not mix
     */
    public static synchronized ForeignProvider install() {
        if (instance == null) {
            ForeignProvider provider = new ForeignProvider();
            DisniSeams.defineNativeAffinity();
            DisniSeams.setProvider(provider);
            instance = provider;
        }
        return instance;
    }

    @Override
    public RdmaCm openCm() {
        return connectionManager;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    /** Returns the version of the native interface of DiSNI that this provider replaces. */
    @Override
    public int getVersion() {
        return 32;
    }
}
