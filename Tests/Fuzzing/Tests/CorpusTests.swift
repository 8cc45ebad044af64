import Foundation
import Testing

/// The targets of `make fuzz`, without libFuzzer.
struct CorpusTests {
    @Test(
        "Every kept input passes: beginnings for libFuzzer, and what it found",
        arguments: FuzzTarget.allCases)
    func kept(target: FuzzTarget) throws {
        let folder = URL(filePath: #filePath).appending(path: "../../Corpus/\(target)")
            .standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let input = try Array(Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.check(input) }
        }
    }

    @Test("A node holds under events at random", arguments: 1...8 as ClosedRange<UInt64>)
    func walks(seed: UInt64) {
        var random = SeededBytes(state: seed)
        for number in 1...60 {
            let input = (0..<Int(random.next() % 800)).map { _ in
                UInt8(truncatingIfNeeded: random.next() >> 11)
            }
            #expect(throws: Never.self, "walk \(number): \(input)") {
                try FuzzTarget.node.check(input)
            }
        }
    }

    @Test("A finding is thrown with what was found")
    func finding() {
        #expect(throws: FuzzFinding(description: "x is y")) { try hold(false, "x is y") }
    }
}

/// xorshift64*: the same numbers for the same state.
private struct SeededBytes {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
