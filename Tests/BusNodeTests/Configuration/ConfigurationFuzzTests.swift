import ErrorBus
import Testing

@testable import BusNodeKit

/// Damaged files end in a problem or in a topology, never in a trap.
@Suite struct ConfigurationFuzzTests {
    private static let seed = """
        version: 1
        defaults: { deadline: 10m, grace: 10s }
        nodes:
          central:
            listen: [tcp://127.0.0.1:7700, "ipc://x"]
            presenters:
              - terminal
              - command: ["./page-oncall", '${HOME}']
          relay-eu: &relay
            next: central
            responders:
              - match: { domain: /^com\\.(a|b)+$/, code: 4*, userInfo.x: [a, "b"] }
                addOption: { id: login, title: Log in again, run: ["./login.sh"] }
              - match: { severity: ">=error" }
                answer: { option: retry, limit: 3 per 1m }
          worker-1: *relay
        """

    private static let fragments = [
        "&a ", "*a", "*relay", "? ", ": ", "- ", "[", "]", "{", "}", "\n", "\n  ", "'", "\"", "|\n",
        ">", "!!str ", "!x ", "---\n", "...\n", "#", "${", "}", "\\", "/", "//", "(", "\u{0}",
        "\u{FEFF}", "\u{85}", "<<: ", "null", "~", "999999999999999999999", "%TAG ! x\n", "\t",
    ]

    @Test("F25 mutated files", arguments: 0..<8)
    func mutated(seed: UInt64) {
        var random = SplitMix(state: seed)
        for _ in 0..<250 {
            var bytes = Array(Self.seed.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                mutate(&bytes, using: &random)
            }
            do throws(ConfigurationFailure) {
                let root = try YAMLConfiguration.read(bytes, file: "t.yaml")
                _ = try TopologyReader.read(
                    root, folder: "f", environment: ["HOME": "/"],
                    openPolicy: { (path) throws(ConfigurationFailure) in
                        try YAMLConfiguration.read(bytes, file: path)
                    })
            } catch {
                #expect(!error.description.isEmpty)
                guard case .invalid(let problems, _) = error else {
                    Issue.record("\(error)")
                    continue
                }
                for problem in problems {
                    #expect(problem.location.line >= 1, "\(problem)")
                    #expect(!problem.description.contains("\n"), "\(problem)")
                }
            }
        }
    }

    private func mutate(_ bytes: inout [UInt8], using random: inout SplitMix) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let fragment = Self.fragments.randomElement(using: &random) ?? ""
            bytes.insert(contentsOf: fragment.utf8, at: place)
        case 1:
            let end = min(bytes.count, place + Int.random(in: 1...20, using: &random))
            bytes.removeSubrange(place..<end)
        case 2 where place < bytes.count:
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 3:
            let from = Int.random(in: 0..<max(1, bytes.count), using: &random)
            let end = min(bytes.count, from + Int.random(in: 1...80, using: &random))
            bytes.insert(contentsOf: Array(bytes[from..<end]), at: place)
        default:
            bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = [0x61] }
    }
}

/// A generator that gives the same numbers for the same seed.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
