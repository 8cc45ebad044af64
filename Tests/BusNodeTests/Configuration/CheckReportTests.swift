import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit
@testable import bus_node

/// What `check --json` prints.
struct CheckReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func json(of report: CheckReport) throws -> JSONValue {
        try JSONValue.parse(Array(try JSONEncoder().encode(report)))
    }

    private func check(_ yaml: String) throws -> JSONValue {
        let file = try folder.write(yaml, to: "t.yaml")
        let report: CheckReport
        do throws(ConfigurationFailure) {
            report = CheckReport(try TopologyLoader.load(file, environment: [:]))
        } catch {
            report = CheckReport(error)
        }
        return try json(of: report)
    }

    @Test("A problem has its place in the file, and stands beside the warnings")
    func invalid() throws {
        let report = try check(
            """
            version: 1
            nodes:
              central:
                presenters: [terminal]
                responders: [{ match: {}, answer: retry }]
              relay:
                next: centrl
            """)
        #expect(report["valid"] == false && report["nodes"] == [])
        let problems = report["problems"]?.arrayValue ?? []
        #expect(problems.count == 1)
        let problem = try #require(problems.first)
        #expect(problem["file"] == .string("\(folder.path)/t.yaml"))
        #expect(problem["line"] == 7 && problem["column"] == 11)
        #expect(problem["field"] == "nodes.relay.next" && problem["found"] == "\"centrl\"")
        #expect(problem["hint"] == "did you mean \"central\"?")
        let warnings = report["warnings"]?.arrayValue ?? []
        #expect(warnings.map { $0["field"] } == ["nodes.central.responders[0].answer"])
        #expect(warnings.map { $0["line"] } == [5])
    }

    @Test("What follows from values that cannot be read is no warning")
    func unreadValues() throws {
        let report = try check(
            """
            version: 1
            nodes:
              central:
                listen: nowhere
                responders: [{ match: {}, answer: retry }]
            """)
        let problems = report["problems"]?.arrayValue ?? []
        #expect(problems.map { $0["line"] } == [4])
        #expect(report["warnings"] == [])
    }

    @Test("A file that cannot be read is one problem")
    func unreadable() throws {
        let failure = ConfigurationFailure.unreadable(path: "none.yaml", reason: "not there")
        let report = try json(of: CheckReport(failure))
        #expect(report["valid"] == false)
        let problems = report["problems"]?.arrayValue ?? []
        #expect(problems.map { $0["file"] } == ["none.yaml"])
        #expect(problems.map { $0["message"] } == ["none.yaml: not there"])
    }

    @Test("A valid topology has its nodes, in the order of the file")
    func valid() throws {
        let report = try check(
            """
            version: 1
            nodes:
              central: { listen: "tcp://127.0.0.1:1", presenters: [terminal] }
              relay: { next: central, responders: [{ match: {}, withhold: true }] }
            """)
        #expect(report["valid"] == true && report["problems"] == [] && report["warnings"] == [])
        let nodes: JSONValue = [
            [
                "name": "central", "next": [], "listen": ["tcp://127.0.0.1:1"],
                "presenters": ["terminal"], "hooks": [], "rules": 0,
            ],
            [
                "name": "relay", "next": ["central"], "listen": [], "presenters": [], "hooks": [],
                "rules": 1,
            ],
        ]
        #expect(report["nodes"] == nodes)
    }
}
