import CSimulation
import Glibc

/// Seeds that run one after the other in a process of their own: a trap, or a run without end, is
/// that seed's failure, and ends the process.
struct SeedProcess {
    /// What a run came to, as it travels through a pipe: a line for each thing.
    typealias Lines = [String]

    /// How many seeds one process runs: a process costs as much as a short run.
    static let seedCountMax: UInt64 = 16
    /// Seconds of the processor's time, so that a busy machine fails no run, which takes some
    /// hundredths of one.
    private static let secondsMax: UInt32 = 20
    /// Real seconds, for a run that waits for something real and so uses no processor.
    private static let realSecondsMax: UInt32 = 600

    /// Short runs that use most of what any run does.
    private static let shortSeeds: [UInt64] = [8, 17, 20, 31]

    let seeds: Range<UInt64>
    private let process: Int32
    private let pipe: Int32
    private var bytes: [UInt8] = []

    /// Nil when the system gives no process.
    init?(seeds: Range<UInt64>) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        fflush(nil)
        let process = simulation_fork()
        if process == 0 {
            close(ends[0])
            simulation_watch()
            for seed in seeds {
                simulation_limit(Self.secondsMax, Self.realSecondsMax)
                let lines = Self.runHere(seed, isVerbose: false)
                Self.write(lines.joined(separator: "\n") + "\n", to: ends[1])
            }
            _exit(0)
        }
        close(ends[1])
        guard process > 0 else {
            close(ends[0])
            return nil
        }
        self.seeds = seeds
        self.process = process
        pipe = ends[0]
    }

    /// Runs a few seeds in this process, so that those which are forked from it find loaded and
    /// looked up what all of them need.
    ///
    /// A seed that fails is not run here, since it may never end.
    static func warmUp() {
        for seed in shortSeeds {
            guard var process = SeedProcess(seeds: seed..<seed + 1) else { return }
            while !process.read() {}
            guard process.results().allSatisfy(\.isGood) else { return }
            _ = runHere(seed, isVerbose: false)
        }
    }

    /// The index of one that has something to say, or has ended; waits for it.
    static func ready(of processes: [SeedProcess]) -> Int {
        var ends = processes.map { pollfd(fd: $0.pipe, events: Int16(POLLIN), revents: 0) }
        while poll(&ends, nfds_t(ends.count), -1) < 0 && errno == EINTR {}
        return ends.firstIndex { $0.revents != 0 } ?? 0
    }

    /// Reads what it says; true when it has ended.
    mutating func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = Glibc.read(pipe, &buffer, buffer.count)
        guard count > 0 else { return true }
        bytes += buffer[..<count]
        return false
    }

    /// What its seeds came to, in order, up to the one that ended it. Call once, when it has ended.
    func results() -> [Lines] {
        close(pipe)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        var results: [Lines] = []
        var lines: Lines = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            lines.append(String(line))
            guard line == "end" else { continue }
            results.append(lines)
            lines = []
        }
        if results.count < seeds.count || status != 0 {
            results = results.prefix(seeds.count - 1) + [["violation \(Self.end(status))", "end"]]
        }
        return results
    }

    /// How a process ended that did not run its seeds.
    private static func end(_ status: Int32) -> String {
        let signal = status & 0x7F
        if status >> 8 == SIMULATION_STUCK {
            return "\(Checker.timePasses.name): a job did not end"
        }
        if signal == SIGPROF { return "runs: did not end within \(secondsMax) s of CPU time" }
        if signal == SIGALRM { return "runs: did not end within \(realSecondsMax) s" }
        return "runs: died with \(signal == 0 ? "status \(status >> 8)" : "signal \(signal)")"
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
