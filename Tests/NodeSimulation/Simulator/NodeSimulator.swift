import CSimulation
import Glibc

/// Runs seeds, each in a process of its own, and says which fail and how to see each again.
@main
struct NodeSimulator {
    static let usage = """
        usage: node-simulator [--seeds COUNT] [--first SEED] [--jobs COUNT] [--trace]
                              [--until-failure]
               node-simulator --seed SEED [--verbose]

        Runs the shipped nodes in a simulated world, one for each seed.
          --seeds COUNT   how many seeds (300)
          --first SEED    the first of them (0)
          --jobs COUNT    how many at a time (one for each processor)
          --trace         print each seed's trace: equal runs have equal traces
          --until-failure stop at the first seed that fails
          --seed SEED     one seed only
          --verbose       print all that happens
        """

    static func main() {
        simulation_pin_hashes(CommandLine.unsafeArgv)
        guard let options = SimulatorOptions(CommandLine.arguments.dropFirst()) else {
            print(usage)
            exit(2)
        }
        // For a few seeds it takes longer than it saves.
        if options.count > 16 { SeedProcess.warmUp() }
        var report = Report(options)
        if options.isVerbose {
            report.took(SeedProcess.runHere(options.first, isVerbose: true), of: options.first)
        } else {
            report.run()
        }
        let isGood = report.conclude()
        fflush(nil)
        exit(isGood ? 0 : 1)
    }
}

/// What the command line says.
struct SimulatorOptions {
    var first: UInt64 = 0
    var count = 300
    var jobs = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    var isVerbose = false
    var printsTraces = false
    var stopsAtFailure = false

    /// Nil when it cannot be understood.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--verbose": isVerbose = true
            case "--trace": printsTraces = true
            case "--until-failure": stopsAtFailure = true
            case "--seeds", "--first", "--jobs", "--seed":
                guard let text = rest.popFirst(), let number = UInt64(text) else { return nil }
                switch argument {
                case "--seeds": count = Int(number)
                case "--first": first = number
                case "--jobs": jobs = max(1, Int(number))
                default: (first, count, printsTraces) = (number, 1, true)
                }
            default: return nil
            }
        }
        if isVerbose, count != 1 { return nil }
    }
}
