package dev.slate.image.recipe;

import java.util.List;
import java.util.SortedMap;

/** Names the layer a step makes before it is made: equal keys mean that the layer can be used again. */
public record StepKey(String value) {
    /** Rises when the same step gives another layer than before, for example because clean-up changed. */
    private static final int ABI = 1;

    /**
     * Files do not depend on what is below them. A command depends on the content of all layers below (not on how
     * they were made, so a parent rebuilt to the same bytes changes nothing) and on what it is run with.
     */
    public static StepKey of(Step step, List<String> parentDiffIds, SortedMap<String, String> env, String workdir) {
        Fingerprint fingerprint = new Fingerprint("step").add(ABI);
        step.describe(fingerprint);
        return new StepKey(
                switch (step) {
                    case Step.AddFiles _ -> fingerprint.digest();
                    case Step.Command _ ->
                        fingerprint.add(parentDiffIds).add(env).add(workdir).digest();
                });
    }
}
