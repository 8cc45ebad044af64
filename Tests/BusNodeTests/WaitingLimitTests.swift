import Foundation
import Glibc
import Logging
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore
@testable import bus_node

struct WaitingLimitTests {
    private let folder: TemporaryFolder
    private let command = ReportDigest(of: Array("backup".utf8))

    init() throws { folder = try TemporaryFolder() }

    private var own: String { "\(folder.path)/own" }

    private func limit(_ countMax: Int) -> WaitingLimit {
        WaitingLimit(countMax: countMax, folder: own, logger: Logger(label: "test"))
    }

    /// What a process does that wants to wait: with a limit of its own, on the same files.
    private func place(_ countMax: Int, for command: ReportDigest) -> WaitingLimit.Place? {
        guard case .admitted(let place) = limit(countMax).admission(of: command) else {
            return nil
        }
        return place
    }

    private func isFull(_ countMax: Int, for command: ReportDigest) -> Bool {
        if case .full = limit(countMax).admission(of: command) { true } else { false }
    }

    @Test("As many wait as the limit allows; one more only once a place is free")
    func places() throws {
        let first = try #require(place(2, for: command))
        let second = try #require(place(2, for: command))
        #expect(isFull(2, for: command))
        first.release()
        let third = try #require(place(2, for: command))
        #expect(isFull(2, for: command))
        for place in [second, third] { place.release() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: own).isEmpty)
    }

    @Test("Other commands have places of their own")
    func otherCommand() throws {
        let first = try #require(place(1, for: command))
        let other = try #require(place(1, for: ReportDigest(of: Array("restore".utf8))))
        #expect(isFull(1, for: command))
        for place in [first, other] { place.release() }
    }

    @Test("A file that a killed process left behind is free")
    func leftBehind() throws {
        try #require(place(1, for: command)).release()
        try folder.write("", to: "own/waiting-\(command)-1")
        let again = try #require(place(1, for: command))
        #expect(isFull(1, for: command))
        again.release()
    }

    @Test(
        "A folder that others may use, a link and a file are not used: any number waits",
        arguments: ["folder", "link", "file", "nowhere"])
    func folderRefused(kind: String) throws {
        switch kind {
        case "folder": #expect(mkdir(own, 0o700) == 0 && chmod(own, 0o755) == 0)
        case "link": #expect(symlink(folder.path, own) == 0)
        case "file": try folder.write("", to: "own")
        default: break
        }
        let path = kind == "nowhere" ? "\(folder.path)/none/own" : own
        let limit = WaitingLimit(countMax: 1, folder: path, logger: Logger(label: "test"))
        for _ in 0..<2 {
            guard case .unlimited = limit.admission(of: command) else {
                Issue.record("\(kind) is used")
                return
            }
        }
    }

    @Test("The folder is in the runtime directory if that is this user's, else in /tmp")
    func runtimeDirectory() {
        let name = "errorbus-\(geteuid())"
        func found(_ runtime: String) -> String {
            WaitingLimit.folder(environment: ["XDG_RUNTIME_DIR": runtime])
        }
        #expect(found(folder.path) == "\(folder.path)/\(name)")
        #expect(found("\(folder.path)/none") == "/tmp/\(name)")
        #expect(found("") == "/tmp/\(name)")
        #expect(found(".") == "/tmp/\(name)")
        #expect(WaitingLimit.folder(environment: [:]) == "/tmp/\(name)")
    }

    @Test("The limit is the option's, else the environment's, else that of the terminal")
    func chosen() throws {
        func chosen(
            _ given: String?, _ variable: String? = nil, hasTerminal: Bool = false
        ) throws -> Int? {
            var environment: [String: String] = [:]
            environment["BUS_NODE_EXEC_MAX_WAITING"] = variable
            return try Exec.waitingMax(
                given: given, environment: environment, hasTerminal: hasTerminal)
        }
        #expect(try chosen("1", "7") == 1)
        #expect(try chosen("1000", hasTerminal: true) == 1_000)
        #expect(try chosen("none", "7") == nil)
        #expect(try chosen(nil, "7", hasTerminal: true) == 7)
        #expect(try chosen(nil, "none") == nil)
        #expect(try chosen(nil) == 20)
        #expect(try chosen(nil, hasTerminal: true) == nil)
        #expect(try chosen(nil, "") == 20)
    }

    @Test(
        "Another limit is refused with the name of its place", arguments: ["0", "1001", "x", " "])
    func refused(text: String) {
        let places: [(String?, String)] = [
            (text, "--max-waiting"), (nil, "BUS_NODE_EXEC_MAX_WAITING"),
        ]
        for (given, name) in places {
            #expect {
                _ = try Exec.waitingMax(
                    given: given, environment: ["BUS_NODE_EXEC_MAX_WAITING": text],
                    hasTerminal: false)
            } throws: { error in
                let failure = error as? Failure
                return failure?.status == .usage
                    && failure?.text == "\(name): found \"\(text)\", allowed: 1 to 1000, or none"
            }
        }
    }

    @Test("The deadline is the option's, else the environment's, else that of the terminal")
    func deadline() throws {
        func chosen(
            _ given: String?, _ variable: String? = nil, topology: Duration? = nil,
            hasTerminal: Bool = false
        ) throws -> Duration? {
            var environment: [String: String] = [:]
            environment["BUS_NODE_EXEC_DEADLINE"] = variable
            return try Exec.deadline(
                given: given, topology: topology, environment: environment,
                hasTerminal: hasTerminal)
        }
        #expect(try chosen("5m", "8h", topology: .seconds(1)) == .seconds(300))
        #expect(try chosen("5m", hasTerminal: true) == .seconds(300))
        #expect(try chosen(nil, "8h", topology: .seconds(1)) == .seconds(28_800))
        #expect(try chosen(nil, "8h", hasTerminal: true) == .seconds(28_800))
        #expect(try chosen(nil) == .seconds(86_400))
        #expect(try chosen(nil, hasTerminal: true) == nil)
        // That of the topology counts where this one is nil.
        #expect(try chosen(nil, topology: .seconds(1)) == nil)
        #expect(try chosen("none", "8h") == nil)
        #expect(try chosen(nil, "none") == nil)
        #expect(try chosen(nil, "") == .seconds(86_400))
    }

    @Test(
        "Another deadline is refused with the name of its place", arguments: ["soon", " ", "24"])
    func wrongDeadline(text: String) {
        let places: [(String?, String)] = [(text, "--deadline"), (nil, "BUS_NODE_EXEC_DEADLINE")]
        for (given, name) in places {
            #expect {
                _ = try Exec.deadline(
                    given: given, topology: nil, environment: ["BUS_NODE_EXEC_DEADLINE": text],
                    hasTerminal: false)
            } throws: { error in
                let failure = error as? Failure
                return failure?.status == .usage
                    && failure?.text.hasPrefix("\(name): found \"\(text)\", allowed: ") == true
                    && failure?.text.hasSuffix("d, or none") == true
            }
        }
    }
}
