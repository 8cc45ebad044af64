import CSimulation
import Glibc

/// What the seeds came to, for people and for the test that starts the simulator.
struct Report {
    /// A run of this many seeds tries every checker.
    static let standardCount = 300
    /// A run of minutes says after each so many seeds how far it is.
    private static let progressCount = 10_000

    private let options: SimulatorOptions
    private let began = simulation_real_nanoseconds()
    private var seedCount = 0
    private var failedSeeds: [UInt64] = []
    private var counts = (presentations: 0, messages: 0, seconds: 0)
    /// The checkers that found a lie in a ledger.
    private var biting: Set<String> = []

    init(_ options: SimulatorOptions) { self.options = options }

    /// Runs all seeds, several at a time, and takes them in order.
    mutating func run() {
        let end = options.first + UInt64(options.count)
        // The seeds after one that fails would be run for nothing.
        let most = options.stopsAtFailure ? 2 : SeedProcess.seedCountMax
        let size = max(1, min(most, UInt64(options.count / options.jobs)))
        var waiting = stride(from: options.first, to: end, by: Int(size)).reversed().map {
            $0..<min($0 + size, end)
        }
        var running: [SeedProcess] = []
        /// What has ended before a seed that comes first.
        var ended: [UInt64: SeedProcess.Lines] = [:]
        var due = options.first
        while due < end {
            if running.count < options.jobs, let seeds = waiting.popLast() {
                guard let process = SeedProcess(seeds: seeds) else {
                    return took(
                        ["violation runs: the system gives no process for it"],
                        of: seeds.lowerBound)
                }
                running.append(process)
                continue
            }
            let index = SeedProcess.ready(of: running)
            guard running[index].read() else { continue }
            let process = running.remove(at: index)
            let results = process.results()
            for (seed, lines) in zip(process.seeds, results) { ended[seed] = lines }
            let rest = process.seeds.dropFirst(results.count)
            if !rest.isEmpty { waiting.append(rest) }
            while let lines = ended.removeValue(forKey: due) {
                took(lines, of: due)
                due += 1
                if options.stopsAtFailure, !failedSeeds.isEmpty {
                    return running.forEach { $0.stop() }
                }
            }
        }
    }

    mutating func took(_ lines: SeedProcess.Lines, of seed: UInt64) {
        seedCount += 1
        var isFailed = false
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { continue }
            switch words[0] {
            case "trace": if options.printsTraces { print("seed \(seed): \(line)") }
            case "counts": count(words[1])
            case "caught": biting.insert(words[1])
            case "missed":
                print("seed \(seed): \(words[1]) does not find what is wrong in a forged ledger")
                isFailed = true
            default:
                print("seed \(seed): \(words[1])")
                isFailed = true
            }
        }
        if isFailed { failedSeeds.append(seed) }
        if seedCount.isMultiple(of: Self.progressCount), seedCount < options.count {
            print("\(seedCount) of \(options.count) seeds, \(failedSeeds.count) failed so far")
            fflush(nil)
        }
    }

    private mutating func count(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { return }
        counts.presentations += numbers[0]
        counts.messages += numbers[1]
        counts.seconds += numbers[2] / 1_000
    }

    /// Prints the verdict; true when it is good.
    func conclude() -> Bool {
        for seed in failedSeeds.prefix(10) { print("again: make simulate SEED=\(seed)") }
        let isComplete = seedCount < Self.standardCount || haveAllBitten()
        // The rate is the machine's, not the seed's: a replayed seed prints the same bytes.
        let milliseconds = max(1, (simulation_real_nanoseconds() - began) / 1_000_000)
        let rate = "; \(UInt64(seedCount) * 1_000 / milliseconds) seeds a second"
        print(
            "node-simulator: \(seedCount) seeds, \(failedSeeds.count) failed; "
                + "\(counts.presentations) presentations, \(counts.messages) messages, "
                + "\(counts.seconds) s of virtual time" + (seedCount == 1 ? "" : rate))
        return failedSeeds.isEmpty && isComplete
    }

    /// Whether every checker found its lie. Only in many seeds: a few prove nothing.
    private func haveAllBitten() -> Bool {
        let toothless = Checker.all.map(\.name).filter { !biting.contains($0) }
        for name in toothless { print("\(name) was never tried on a forged ledger") }
        return toothless.isEmpty
    }
}
