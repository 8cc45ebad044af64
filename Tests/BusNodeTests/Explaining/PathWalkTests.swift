import ErrorBus
import ErrorBusTesting
import Foundation
import Testing

@testable import BusNodeKit

@Suite struct PathWalkTests {
    private static let topology = """
        version: 1
        nodes:
          central: { listen: "ipc://c", presenters: [terminal, { command: [page] }] }
          relay:
            next: [central, "tcp://127.0.0.1:9"]
            listen: "ipc://r"
            responders:
              - match: { userInfo.kind: secret }
                redact: kind
                rewrite: { severity: critical }
              - match: { severity: critical }
                answer: retry
              - match: { origin: worker-9 }
                withhold: true
              - match: { domain: net }
                rewrite: { severity: warning }
                route: ops
          ops: { listen: "ipc://o", presenters: [terminal] }
          worker:
            next: relay
            responders:
              - match: { code: 5 }
                addOption: { id: fix, title: Fix it, run: [x] }
                removeOption: retry
          local: { next: relay, whenUnreachable: presentLocally, presenters: [terminal] }
          alone: {}
          outer: { next: "tcp://127.0.0.1:9" }
        """

    private func walk(
        _ node: NodeName, _ report: ErrorReport, origin: NodeName? = nil
    ) throws -> Explanation {
        let root = try YAMLConfiguration.read(Array(Self.topology.utf8), file: "t.yaml")
        let loaded = try TopologyReader.read(
            root, folder: "", environment: [:],
            openPolicy: { (path) throws(ConfigurationFailure) in
                throw .unreadable(path: path, reason: "none")
            })
        var walk = PathWalk(
            loaded.topology, file: "t.yaml", report, origin: origin ?? node,
            date: ManualTime().now.date)
        return walk.explain(from: node)
    }

    private func report(
        domain: String = "d", code: Int = 1, _ userInfo: [String: JSONValue] = [:]
    ) -> ErrorReport {
        ErrorReport(
            domain: domain, code: code, description: "Boom",
            options: [ErrorReport.Option(id: "retry", title: "Retry")], userInfo: userInfo)
    }

    @Test("an error that no rule matches climbs to the presenters")
    func plain() throws {
        #expect(
            try walk("worker", report()).lines == [
                "worker", "  responders: none of 1 rule matches", "  -> relay",
                "relay", "  responders: none of 4 rules matches",
                "  -> central, when unreachable tcp://127.0.0.1:9",
                "central",
                "ends: presented by terminal of central, and when that declines command page",
            ])
    }

    @Test("each rule gets the report as changed by those before it")
    func changes() throws {
        let path = try walk("worker", report(["kind": "secret"]))
        #expect(
            path.lines.dropFirst(4) == [
                "  responders: rule 1 (t.yaml:8) makes the severity \"critical\" instead of "
                    + "\"error\", redacts kind",
                "  responders: rule 2 (t.yaml:11) answers retry",
                "ends: answered by policy relay rule 2 with retry, run by worker",
            ])
        #expect(path.report.userInfo.isEmpty)
    }

    @Test("an answer is shown with its limit and its comment, whole and in one line")
    func comment() throws {
        let text = String(repeating: "The lock goes away. ", count: 30)
        let rules = try TopologyReader.readPolicy("p.yaml", environment: [:]) {
            (path) throws(ConfigurationFailure) in
            try YAMLConfiguration.read(
                Array(
                    """
                    rules:
                      - match: {}
                        answer: { option: retry, limit: 3 per 1m, comment: "\(text)\\nAnn" }
                    """.utf8), file: path)
        }
        let list = RuleList(
            name: "policy", file: "p.yaml", book: RuleBook(rules, mode: .firstMatch))
        let reading = list.evaluate(report(), origin: "worker", date: ManualTime().now.date)
        #expect(
            reading.verdictLines == [
                "rule 1 (p.yaml:2) answers retry, at most 3 per 1m, saying \"\(text)\\nAnn\""
            ])
        #expect(reading.verdictJSON.contains("\"comment\":\"\(text)\\nAnn\""))
    }

    @Test("where no rule matches, the nearest one is named with what it does not match")
    func nearest() throws {
        let rules = try TopologyReader.readPolicy("p.yaml", environment: [:]) {
            (path) throws(ConfigurationFailure) in
            try YAMLConfiguration.read(
                Array(
                    """
                    rules:
                      - match: { domain: other, origin: "job-*" }
                        answer: retry
                      - match: { origin: "job-*" }
                        answer: retry
                    """.utf8), file: path)
        }
        func lines(_ rules: [Rule]) -> [String] {
            RuleList(name: "policy", file: "p.yaml", book: RuleBook(rules, mode: .firstMatch))
                .evaluate(report(), origin: "worker", date: ManualTime().now.date).verdictLines
        }
        #expect(
            lines(rules) == [
                "declines: none of 2 rules matches; rule 2 (p.yaml:4) comes nearest, and does not "
                    + "match: origin \"worker\""
            ])
        #expect(lines([]) == ["declines: none of 0 rules matches"])
    }

    @Test("A rule outside its times says when it is in force, and how to try another time")
    func times() throws {
        let found = try ["[mon, tue, wed, thu, fri]", "[sat, sun]"].flatMap { days in
            let text =
                "rules: [{ match: {}, answer: retry, during: { days: \(days), timeZone: UTC } }]"
            let rules = try TopologyReader.readPolicy("p.yaml", environment: [:]) {
                (path) throws(ConfigurationFailure) in
                try YAMLConfiguration.read(Array(text.utf8), file: path)
            }
            let book = RuleBook(rules, mode: .firstMatch)
            return RuleList(name: "policy", file: "p.yaml", book: book)
                .evaluate(report(), origin: "worker", date: ManualTime().now.date).lines
        }
        let declined = found.filter { $0.contains(" declines at this time: in force only ") }
        #expect(declined.count == 1 && declined[0].hasSuffix("; --at sets another"), "\(found)")
    }

    @Test("options that rules add or remove count higher up")
    func options() throws {
        let path = try walk("worker", report(code: 5, ["kind": "secret"]))
        #expect(
            path.lines[1]
                == "  responders: rule 1 (t.yaml:22) adds the option fix \"Fix it\", "
                + "takes the option retry away")
        #expect(
            path.lines[5]
                == "  responders: rule 2 (t.yaml:11) declines: retry is not offered, only fix")
        #expect(path.lines.last?.hasPrefix("ends: presented by terminal") == true)
    }

    @Test("a routed error takes its route")
    func route() throws {
        let path = try walk("worker", report(domain: "net"))
        #expect(
            path.lines.dropFirst(3) == [
                "relay",
                "  responders: rule 4 (t.yaml:15) makes the severity \"warning\" instead of "
                    + "\"error\"",
                "  responders: rule 4 (t.yaml:15) routes it to ops", "  -> ops", "ops",
                "ends: presented by terminal of ops",
            ])
    }

    @Test("rules compare an origin below the first node")
    func origin() throws {
        let path = try walk("relay", report(), origin: "worker-9")
        #expect(path.lines.last == "ends: withheld by relay rule 3 (t.yaml:13), not presented")
    }

    @Test("presenters used only without a parent are named as such")
    func fallback() throws {
        let path = try walk("local", report())
        #expect(path.stations.map(\.node) == ["local", "relay", "central"])
        #expect(path.lines[1] == "  asks terminal only when no parent is reachable")
    }

    @Test("ends without an answer")
    func ends() throws {
        let cancelled = report(domain: "NSCocoaErrorDomain", code: 3072)
        #expect(
            try walk("worker", cancelled).lines.last
                == "ends: in worker, as a user cancellation: not presented")
        #expect(
            try walk("alone", report()).lines.last
                == "ends: in alone, which has no presenter (503)")
        #expect(
            try walk("outer", report()).lines.last
                == "ends: leaves this topology for tcp://127.0.0.1:9")
    }
}
