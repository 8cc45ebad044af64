import Foundation
import Testing

/// The files that the rules are applied to, in a made-up working copy.
struct RepositoryTests {
    @Test("What Python compiled, and what was built, is no text of the repository")
    func leavesOutWhatWasBuilt() throws {
        let files = FileManager.default
        let root = files.temporaryDirectory
            .appending(path: "errorbus-tidy-\(UUID().uuidString.prefix(8))")
        defer { try? files.removeItem(at: root) }
        for (path, name) in [
            ("scripts", "test"), ("scripts/__pycache__", "curve.cpython-311.pyc"),
            ("Benchmarks/out", "notes.md"),
        ] {
            let folder = root.appending(path: path)
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            // The first byte of such a file, which is no UTF-8.
            let byte: UInt8 = name == "test" ? 0x23 : 0xA7
            try Data([byte]).write(to: folder.appending(path: name))
        }
        let repository = try Repository.load(
            from: root.appending(path: "Tests/TidyTests/Repository.swift").path)
        #expect(repository.scripts.map(\.path) == ["scripts/test"])
        #expect(repository.documents.isEmpty)
    }
}
