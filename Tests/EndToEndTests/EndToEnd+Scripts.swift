import Foundation
import Testing

extension EndToEnd {
    /// The scripts that prepare the tests, in a shell that lacks something.
    struct Scripts {
        private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

        @Test(
            "The tests' descriptors are raised to the hard limit; one too low is said",
            arguments: [(300, true), (9_000, false)])
        func descriptors(hard: Int, isTooLow: Bool) async throws {
            let script = Self.root.appending(path: "scripts/descriptors").path
            let shell = try Launched(
                [
                    "-c",
                    "ulimit -Sn 256; ulimit -Hn \(hard); exec '\(script)' bash -c 'ulimit -Sn'",
                ], program: "/bin/bash")
            #expect(try await shell.ending() == 0, "\(shell.errors.value)")
            #expect(shell.output.value == "\(hard)\n")
            #expect(shell.errors.value.contains("the hard limit") == isTooLow)
        }
    }
}
