import ErrorBus
import Foundation
import Glibc
import Testing

@testable import BusNodeKit

struct StatusFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/status.json"
    }

    @Test("Every table is reported by name; children do not count as entries")
    func tables() throws {
        var sizes = TableSizes()
        sizes.children = 7
        sizes.openBelow = 2
        sizes.waiting = 1
        try StatusFile(path).write("relay", sizes)
        let json = try JSONValue.parse(
            Array(try #require(FileManager.default.contents(atPath: path))))
        #expect(json["node"]?.stringValue == "relay")
        #expect(json["tables"]?["children"]?.integerValue == 7)
        #expect(json["tables"]?["openBelow"]?.integerValue == 2)
        #expect(json["tables"]?["rememberedAbove"]?.integerValue == 0)
        #expect(StatusFile.entryCount(in: path) == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test("A file of an earlier life is removed; a file that is not a status counts nothing")
    func earlierLife() throws {
        try folder.write("not JSON", to: "status.json")
        #expect(StatusFile.entryCount(in: path) == nil)
        _ = try StatusFile(path)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(StatusFile.entryCount(in: path) == nil)
    }

    @Test("A file that cannot be created is refused at once")
    func cannotCreate() throws {
        let failure = #expect(throws: Failure.self) {
            try StatusFile(folder.path + "/none/status.json")
        }
        #expect(failure?.text.contains("--status-file") == true)
    }

    @Test("An empty path is refused")
    func emptyPath() {
        let refusals = [
            #expect(throws: Failure.self) { try StatusFile("") },
            #expect(throws: Failure.self) { try ServiceNotification.prepare(file: "") },
        ]
        for (word, refusal) in zip(["--status-file", "--ready-file"], refusals) {
            #expect(refusal?.status == .usage)
            #expect(refusal?.text.hasPrefix("\(word): found an empty path") == true)
        }
    }

    @Test("At the end only the file that this process wrote is removed")
    func ofAnother() throws {
        let ready = folder.path + "/ready"
        ServiceNotification.ready(file: ready)
        #expect(try String(contentsOfFile: ready, encoding: .utf8) == "\(getpid())\n")
        try folder.write("1\n", to: "ready")
        ServiceNotification.ended(file: ready)
        #expect(FileManager.default.fileExists(atPath: ready))
        ServiceNotification.ready(file: ready)
        ServiceNotification.ended(file: ready)
        #expect(!FileManager.default.fileExists(atPath: ready))
    }

    @Test("A link in the place of the new content is not followed")
    func plantedLink() throws {
        let (ready, victim) = (folder.path + "/ready", folder.path + "/file")
        for target in [victim, folder.path + "/missing"] {
            try folder.write("kept", to: "file")
            try #require(symlink(target, "\(ready).\(getpid())") == 0)
            ServiceNotification.ready(file: ready)
            #expect(try String(contentsOfFile: ready, encoding: .utf8) == "\(getpid())\n")
            #expect(FileStatus(link: ready)?.isFile == true)
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
            try #require(symlink(target, "\(ready).\(getpid())") == 0)
            try ServiceNotification.prepare(file: ready)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/missing"))
        }
    }

    @Test(
        "A file that another user has put in the place is refused, but for the folder's owner's",
        .enabled(if: geteuid() == 0))
    func planted() throws {
        try folder.write("1\n", to: "status.json")
        try #require(chown(path, 65_534, 65_534) == 0)
        let refusals = [
            #expect(throws: Failure.self) { try StatusFile(path) },
            #expect(throws: Failure.self) { try ServiceNotification.prepare(file: path) },
        ]
        for (word, refusal) in zip(["--status-file", "--ready-file"], refusals) {
            #expect(refusal?.status == .notPermitted)
            let found = "\(word) \(path): found a file of user 65534, expected one of this user"
            #expect(refusal?.text.hasPrefix(found) == true)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "1\n")
        try #require(chown(folder.path, 65_534, 65_534) == 0)
        _ = try StatusFile(path)
        #expect(FileStatus(path) == nil)
    }

    @Test("A link, a device, a pipe and a folder are no place for a status file or a ready file")
    func notAFile() throws {
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let (link, missing) = (folder.path + "/link", folder.path + "/missing")
        try folder.write("kept", to: "file")
        try #require(symlink(folder.path + "/file", link) == 0)
        try #require(symlink("nowhere", missing) == 0)
        for (path, kind) in [
            ("/dev/null", "a device"), ("/dev/stdout", "a symbolic link"), (pipe, "a pipe"),
            (folder.path, "a folder"), (link, "a symbolic link"), (missing, "a symbolic link"),
        ] {
            let words = ["--status-file", "--ready-file"]
            let refusals = [
                #expect(throws: Failure.self) { try StatusFile(path) },
                #expect(throws: Failure.self) { try ServiceNotification.prepare(file: path) },
            ]
            for (word, refusal) in zip(words, refusals) {
                #expect(refusal?.status == .cannotCreate)
                #expect(refusal?.text.hasPrefix("\(word) \(path): found \(kind),") == true)
            }
            #expect(FileStatus(link: path)?.isFile == false)
        }
    }
}
