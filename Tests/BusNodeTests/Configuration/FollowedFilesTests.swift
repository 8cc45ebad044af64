import ErrorBusTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import BusNodeKit

/// Values in files that change while they are in use.
struct FollowedFilesTests {
    private let folder: TemporaryFolder
    private let log = RecordedLog()

    init() throws { folder = try TemporaryFolder() }

    private func followed(
        _ reading: @escaping @Sendable () -> String?
    ) throws -> FollowedFiles<String> {
        let files = ["\(folder.path)/a", "\(folder.path)/b"]
        return try FollowedFiles(
            files, .init(success: "read", failure: "kept"), logger: log.logger
        ) { () throws(Failure) in
            if let refusal = reading() { throw Failure(.noInput, refusal) }
            return files.map { FileManager.default.contents(atPath: $0)?.count ?? 0 }.description
        }
    }

    @Test("Files are read at the start and once after each change, whichever changed")
    func changes() throws {
        try folder.write("1", to: "a")
        let count = Counter()
        let followed = try followed(count.add)
        for _ in 0..<3 { #expect(followed.latest == "[1, 0]") }
        #expect(count.value == 1)
        try folder.write("22", to: "b")
        for _ in 0..<3 { #expect(followed.current == "[1, 2]") }
        #expect(count.value == 2)
        #expect(log.lines.elements.count == 1)
        #expect(log.lines.elements[0].hasPrefix("notice read files="))
    }

    @Test("Files that cannot be used are tried at each use; the log has each reason once")
    func refused() throws {
        let count = Counter()
        let followed = try followed(count.add)
        count.refuse("no descriptors")
        try folder.write("1", to: "a")
        for _ in 0..<3 { #expect(followed.latest == "[0, 0]" && followed.current == nil) }
        #expect(count.value == 7)
        #expect(log.lines.elements == ["warning kept problem=no descriptors"])
        count.refuse("too long")
        #expect(followed.current == nil)
        #expect(log.lines.elements.last == "warning kept problem=too long")
        // Without another change of the files.
        count.refuse(nil)
        #expect(followed.current == "[1, 0]" && followed.latest == "[1, 0]")
        #expect(count.value == 9)
    }

    @Test("Files that cannot be used at the start are refused")
    func atStart() throws {
        #expect(throws: Failure.self) { try followed { "missing" } }
    }

    /// Counts readings, and has the reason for which they fail.
    private final class Counter: Sendable {
        private let state = Mutex<(count: Int, refusal: String?)>((0, nil))
        var value: Int { state.withLock(\.count) }

        func add() -> String? {
            state.withLock {
                $0.count += 1
                return $0.refusal
            }
        }

        func refuse(_ reason: String?) { state.withLock { $0.refusal = reason } }
    }
}
