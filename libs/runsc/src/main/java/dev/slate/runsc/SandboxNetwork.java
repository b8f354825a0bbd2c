package dev.slate.runsc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The networks of all sandboxes of one installation: one namespace and one link each, closed by a firewall.
 *
 * <p>Slots are made ahead in the background, so {@link #acquire} takes microseconds while the pool lasts and some 40 ms
 * otherwise. Thread-safe. {@link #close} leaves everything in the kernel as it is, for the next process to adopt.
 */
public final class SandboxNetwork implements AutoCloseable {

    private static final int BATCH = 8;

    private final HostLayout layout;
    private final NetworkSettings settings;
    private final Firewall firewall;
    private final NetworkDevices devices;
    private final Path nextFile;
    private final SlotNumbers numbers;
    private final Queue<NetworkSlot> ready = new ArrayDeque<>();
    /** Guards the numbers, the ready slots and the three fields below. */
    private final ReentrantLock state = new ReentrantLock();
    /** One change of links and rules at a time: the programs that do it do not like company. */
    private final ReentrantLock changes = new ReentrantLock();

    private Thread filler = Thread.ofVirtual().unstarted(() -> {});
    private boolean filling;
    private boolean closed;

    private SandboxNetwork(HostLayout layout, NetworkSettings settings, Collection<Integer> live) throws IOException {
        this.layout = layout;
        this.settings = settings;
        firewall = new Firewall(layout, settings);
        devices = new NetworkDevices(layout);
        nextFile = layout.runscHome().resolve("next-network-slot");
        int first = Files.exists(nextFile)
                ? Integer.parseInt(Files.readString(nextFile).strip())
                : 0;
        numbers =
                new SlotNumbers(settings.subnet().slots(), settings.quarantine(), first, live, InstantSource.system());
    }

    /**
     * Installs the firewall, then makes slots.
     *
     * @param live the numbers of the slots of sandboxes that an earlier process left running; all other links and
     *     namespaces of this installation are removed
     */
    public static SandboxNetwork open(HostLayout layout, NetworkSettings settings, Set<Integer> live) {
        try {
            Files.createDirectories(layout.runscHome());
            SandboxNetwork network = new SandboxNetwork(layout, settings, live);
            List<NetworkSlot> adopted = live.stream().map(network::slot).toList();
            network.firewall.install(adopted);
            network.devices.routeMarkedPacketsHere();
            network.devices.removeAllBut(adopted);
            network.fillInBackground();
            return network;
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        }
    }

    /** The slot of a number that was recorded. */
    public NetworkSlot slot(int number) {
        return NetworkSlot.of(number, layout, settings.subnet());
    }

    /** A slot of its own for one sandbox, open to the proxy only. */
    public NetworkSlot acquire() {
        state.lock();
        try {
            NetworkSlot slot = ready.poll();
            if (slot != null) {
                return slot;
            }
        } finally {
            state.unlock();
            fillInBackground();
        }
        return make(1).getFirst();
    }

    /** Removes the slot of a sandbox that has ended. Its address rests for the quarantine. Repeatable. */
    public void release(NetworkSlot slot) {
        changes.lock();
        try {
            devices.remove(List.of(slot));
            firewall.expel(List.of(slot));
        } finally {
            changes.unlock();
        }
        state.lock();
        try {
            numbers.giveBack(slot.number());
        } finally {
            state.unlock();
        }
    }

    /** How many packets of the sandbox the firewall has dropped or rejected. */
    public long drops(NetworkSlot slot) {
        return firewall.drops(slot);
    }

    /** How many slots are ready now. */
    public int warm() {
        state.lock();
        try {
            return ready.size();
        } finally {
            state.unlock();
        }
    }

    /** Stops making slots. What is in the kernel stays, so that sandboxes outlive this process. */
    @Override
    public void close() {
        Thread running;
        state.lock();
        try {
            closed = true;
            ready.clear();
            running = filler;
        } finally {
            state.unlock();
        }
        try {
            running.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes every interface, namespace, rule and route of an installation. Repeatable. */
    public static void tearDown(HostLayout layout) {
        NetworkDevices devices = new NetworkDevices(layout);
        devices.removeAllBut(List.of());
        devices.removeRoute();
        Firewall.remove(layout);
    }

    private void fillInBackground() {
        state.lock();
        try {
            if (filling || closed || ready.size() >= settings.warmSlots()) {
                return;
            }
            filling = true;
            filler = Thread.ofVirtual().name("network-slots").start(this::fill);
        } finally {
            state.unlock();
        }
    }

    private void fill() {
        try {
            for (int missing = missing(); missing > 0; missing = missing()) {
                List<NetworkSlot> made = make(Math.min(missing, BATCH));
                state.lock();
                try {
                    ready.addAll(made);
                } finally {
                    state.unlock();
                }
            }
        } finally {
            state.lock();
            try {
                filling = false;
            } finally {
                state.unlock();
            }
        }
    }

    private int missing() {
        state.lock();
        try {
            return closed ? 0 : settings.warmSlots() - ready.size();
        } finally {
            state.unlock();
        }
    }

    private List<NetworkSlot> make(int count) {
        List<NetworkSlot> slots = take(count);
        changes.lock();
        try {
            firewall.admit(slots);
            devices.create(slots);
            return slots;
        } catch (IOException | RuntimeException e) {
            slots.forEach(this::release);
            throw new RunscException("network slots " + slots + ": cannot be made", e);
        } finally {
            changes.unlock();
        }
    }

    private List<NetworkSlot> take(int count) {
        state.lock();
        try {
            List<NetworkSlot> slots = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                slots.add(slot(numbers.take()));
            }
            Files.writeString(nextFile, Integer.toString(numbers.next()));
            return slots;
        } catch (IOException e) {
            throw HostCommand.unchecked(e);
        } finally {
            state.unlock();
        }
    }
}
