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
            let input = random.walk()
            #expect(throws: Never.self, "walk \(number): \(input)") {
                try FuzzTarget.node.check(Array(input.utf8))
            }
        }
    }

    @Test("A line of a walk that is no event changes nothing of those beside it")
    func lines() {
        var plain = WalkInput(Array("0\ncH12\nt3".utf8))
        var mixed = WalkInput(Array("0\n?7\ncH12\n\nt3\n".utf8))
        for event in [.child, .time, nil] as [WalkInput.Event?] {
            #expect(plain.event() == event && mixed.event() == event)
            guard event == .child else { continue }
            #expect(plain.letter() == .hello && mixed.letter() == .hello)
            #expect(plain.number(5) == 1 && mixed.number(5) == 1)
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

    private mutating func below(_ count: Int) -> Int { Int(next() >> 11) % count }

    /// Up to 150 events, most of them messages.
    mutating func walk() -> String {
        let events =
            WalkInput.Event.allCases + Array(repeating: .child, count: 6)
            + Array(repeating: .parent, count: 3)
        let letters = WalkInput.Letter.allCases
        var lines = ["\(below(3))\(below(2))"]
        for _ in 0..<below(150) {
            let event = events[below(events.count)]
            var line = "\(event.rawValue)"
            if event == .child || event == .parent {
                line.append(letters[below(letters.count)].rawValue)
            }
            // As many as the longest choice has cases, from 0 on.
            for _ in 0..<12 {
                line.append(Character(Unicode.Scalar(UInt8(ascii: "0") + UInt8(below(20)))))
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
