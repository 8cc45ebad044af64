import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

struct JournalLettersTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("journal-\(UUID().uuidString)/central.sqlite").path

    private func contents(_ letters: [DeadLetter]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(letters.map(\.failed.message.content))
    }

    @Test("Dead letters survive into the next life, those that were sent again do not")
    func letters() async throws {
        let hook = NotifyRig.hook(digest: .zero) {
            $0.tries = 1
            $0.perMinute = 2
        }
        var rig = NotifyRig([hook])
        for number in 0..<3 { rig.open(NotifyRig.report("\(number)")) }
        rig.pass(.seconds(600)) { _ in "refused" }
        let dead = rig.machine.dead
        #expect(dead.map(\.failed.message.event) == ["opened", "opened", "summary"])
        do {
            let kept = JournalLetters(journal: try SQLiteJournal(path))
            #expect(try kept.letters(at: rig.time.now).isEmpty)
            try await kept.keep { dead }
        }
        let kept = JournalLetters(journal: try SQLiteJournal(path))
        let restored = try kept.letters(at: rig.time.now)
        #expect(restored.map(\.number) == [1, 2, 3])
        #expect(restored.allSatisfy { $0.hook == "hook" && $0.failed.reason == "refused" })
        #expect(restored.map(\.failed.tries) == [1, 1, 1])
        #expect(restored.map(\.failed.message.id) == dead.map(\.failed.message.id))
        #expect(try contents(restored) == contents(dead))
        #expect(
            restored.map { TimeText.text($0.diedAt.date) }
                == dead.map { TimeText.text($0.diedAt.date) })
        try await kept.keep { Array(dead.dropFirst()) }
        #expect(try kept.letters(at: rig.time.now).map(\.number) == [2, 3])
    }
}
