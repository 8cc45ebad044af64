import ArgumentParser
import Foundation
import Testing

@testable import BusNodeKit
@testable import bus_node

/// The unit for systemd in Examples/systemd, which docs/operations.md shows.
struct ServiceUnitTests {
    private let settings: [String: String]

    init() throws {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../Examples/systemd/errorbus@.service").standardizedFileURL
        let lines = try String(contentsOf: file, encoding: .utf8)
            .replacing(#/\\\n +/#, with: "").split(separator: "\n")
        settings = Dictionary(
            lines.compactMap { line in
                line.wholeMatch(of: /([A-Za-z]+)=(.*)/).map { (String($0.1), String($0.2)) }
            }
        ) { first, _ in first }
    }

    @Test("The unit starts a node as the program takes it")
    func command() throws {
        let words = try #require(settings["ExecStart"]).replacing("%i", with: "central")
            .replacing("%t", with: "/run").split(separator: " ").map(String.init)
        #expect(words.first?.hasSuffix("/bus-node") == true)
        let run = try #require(
            try BusNode.parseAsRoot(RawArguments.toParse(words)) as? Run)
        #expect(try run.choice.path() == "/etc/errorbus/topology.yaml")
        #expect(run.node == "central")
        #expect(run.readyFile == "/run/errorbus/central/pid")
        #expect(settings["RuntimeDirectory"] == "errorbus/%i")
        #expect(settings["RuntimeDirectoryMode"] == "0700")
    }

    @Test("The unit leaves a start the time to bring a large journal up to date")
    func startTime() {
        #expect(settings["TimeoutStartSec"] == "10min")
    }

    @Test("The unit does not restart what a second start would end in the same way")
    func restarts() {
        let final = ExitStatus.allCases.filter(\.isFinal).map { "\($0.rawValue)" }
        #expect(settings["RestartPreventExitStatus"] == final.joined(separator: " "))
    }
}
