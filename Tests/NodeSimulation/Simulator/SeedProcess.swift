import CSimulation
import Glibc

/// A seed that runs in a process of its own: a trap, or a run without end, is that seed's failure,
/// and nothing of one run is left for the next.
struct SeedProcess {
    /// What a run came to, as it travels through a pipe: a line for each thing.
    typealias Lines = [String]

    /// Real seconds; a run takes a hundredth of one.
    private static let secondsMax: UInt32 = 20

    let seed: UInt64
    private let process: Int32
    private let pipe: Int32

    /// Nil when the system gives no process.
    init?(seed: UInt64) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        fflush(nil)
        let process = simulation_fork()
        if process == 0 {
            close(ends[0])
            alarm(Self.secondsMax)
            simulation_watch()
            let text = Self.runHere(seed, isVerbose: false).joined(separator: "\n")
            Self.write(text, to: ends[1])
            _exit(0)
        }
        close(ends[1])
        guard process > 0 else {
            close(ends[0])
            return nil
        }
        self.seed = seed
        self.process = process
        pipe = ends[0]
    }

    /// Runs a few seeds in this process, so that those which are forked from it find loaded and
    /// looked up what all of them need: else that takes a third of their time.
    ///
    /// A seed that fails is not run here, since it may never end.
    static func warmUp() {
        for seed in UInt64(0)..<8 {
            guard let process = SeedProcess(seed: seed), process.lines().isGood else { return }
            _ = runHere(seed, isVerbose: false)
        }
    }

    /// The index of one that has something to say, or has ended; waits for it.
    static func ready(of processes: [SeedProcess]) -> Int {
        var ends = processes.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, nfds_t(ends.count), -1) < 0 && errno == EINTR {}
        return ends.firstIndex { $0.revents != 0 } ?? 0
    }

    /// Waits for its end.
    func lines() -> Lines {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(pipe, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        close(pipe)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard status >> 8 != SIMULATION_STUCK else {
            return ["violation \(Checker.timePasses.name): a job did not end", "end"]
        }
        guard status == 0, lines.last == "end" else {
            let signal = status & 0x7F
            let reason =
                signal == SIGALRM
                ? "did not end within \(Self.secondsMax) s"
                : "died with \(signal == 0 ? "status \(status >> 8)" : "signal \(signal)")"
            return ["violation runs: \(reason)", "end"]
        }
        return lines
    }

    /// Ends it; what it came to is not wanted.
    func stop() {
        kill(process, SIGKILL)
        close(pipe)
        waitpid(process, nil, 0)
    }

    static func runHere(_ seed: UInt64, isVerbose: Bool) -> Lines {
        do {
            return try Run(seed: seed, isVerbose: isVerbose).lines
        } catch {
            return ["violation runs: cannot begin: \(error)", "end"]
        }
    }

    private static func write(_ text: String, to pipe: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension SeedProcess.Lines {
    /// Nothing was found wrong.
    fileprivate var isGood: Bool {
        !contains { $0.hasPrefix("violation ") || $0.hasPrefix("missed ") }
    }
}
