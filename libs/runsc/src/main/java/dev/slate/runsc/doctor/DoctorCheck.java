package dev.slate.runsc.doctor;

/**
 * What one look at the host found.
 *
 * @param remedy what to do when it is not well, in one sentence; empty when it is
 */
public record DoctorCheck(String name, boolean ok, String detail, String remedy) {

    static DoctorCheck well(String name, String detail) {
        return new DoctorCheck(name, true, detail, "");
    }

    static DoctorCheck ill(String name, String detail, String remedy) {
        return new DoctorCheck(name, false, detail, remedy);
    }
}
