import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

/// The documents list the keys that a topology and a policy may have, and no others. What may stand
/// in a place is what the refusal of an unknown key says there.
struct DocumentedKeysTests {
    private static let unknownKey = "zz"

    /// What has to stand there before other keys are read; keys that it lacks are tried. Other
    /// mistakes do not matter.
    private static let topology = """
        version: 1
        keys: k
        signers: [a]
        defaults: { deadline: none, whenUnreachable: hold, grace: 1s, abandonAfter: 1s }
        nodes:
          a:
            next: tcp://127.0.0.1:1
            listen: tcp://127.0.0.1:2
            advertise: tcp://127.0.0.1:2
            presenters:
              - terminal:
              - command: [x]
              - policy: p.yaml
              - console:
                  listen: 127.0.0.1:3
                  tls: { certificate: c, key: k }
                  token: file:t
                  users: file:u
                  proxy: { header: X-User, from: 127.0.0.1, secret: file:s, signOut: /out }
                  oidc:
                    issuer: https://login.example
                    clientID: c
                    clientSecret: file:s
                    label: l
                    name: email
                    scopes: [openid]
                    groups: groups
                    may: { g: see }
                    session: 8h
                  hosts: [h]
                  url: https://h
                  linkKey: file:l
                  escalateAfter: 5m
            notify:
              - name: n
                url: https://h
                on: aging
                after: 5m
                match: { domain: d, code: 1, severity: error, origin: o, userInfo: { k: v } }
                secret: file:s
                ca: c
                body: json
                digest: 1s
                perMinute: 1
                tries: 1
                answerLinks: { as: u, for: 1h }
            responders:
              - match: { domain: d, code: 1, severity: error, origin: o, userInfo: { k: v } }
                during: { days: mon, hours: 09:00-17:00, timeZone: UTC }
                dryRun: true
                withhold: true
                rewrite: { description: d, reason: r, suggestion: s, severity: error }
                addOption:
                  id: i
                  title: t
                  role: default
                  run: [x]
                  first: true
                  signed: true
                  twoPeople: true
                  fields:
                    - name: f
                      label: l
                      kind: text
                      required: true
                      default: d
                      minLength: 1
                      maxLength: 2
                      pattern: p
                      min: 1
                      max: 2
                      whole: true
                      choices: [c]
                removeOption: o
                answer:
                  { option: o, values: {}, comment: c, limit: 1 per 1m, delay: 1s, jitter: 1s }
                redact: k
                maskSecrets: true
                route: a
            deadline: none
            whenUnreachable: hold
            grace: 1s
            abandonAfter: 1s
            maxOpen: 1
            allowUnauthenticated: true
            events: e
            journal: j
            afterRestart: ask
            retention: { age: 30d, count: 1000, megabytes: 100 }
        """

    /// The keys by place, as in `t.yaml nodes.a.presenters.console`, without positions.
    private typealias Keys = [String: Set<String>]

    private static func place(_ file: String, _ path: String) -> String {
        "\(file) \(path)".replacing(#/\[\d+\]/#, with: "")
            .trimmingCharacters(in: .whitespaces)
    }

    /// Adds an unknown key to each mapping of a configuration, and the keys that are tried.
    private struct Trial {
        /// The keys to try, by place: each with a mapping, or with a list of one.
        let tried: Keys
        let asLists: Bool
        /// The keys that stand in each place.
        var written: Keys = [:]

        mutating func more(_ node: ConfigurationNode, at path: String = "") -> ConfigurationNode {
            switch node.value {
            case .scalar: return node
            case .sequence(let elements):
                var more: [ConfigurationNode] = []
                for element in elements { more.append(self.more(element, at: path)) }
                return ConfigurationNode(.sequence(more), at: node.location)
            case .mapping(let entries):
                let place = DocumentedKeysTests.place(node.location.file, path)
                let mapping = ConfigurationNode(.mapping([]), at: node.location)
                let value =
                    asLists ? ConfigurationNode(.sequence([mapping]), at: node.location) : mapping
                let all =
                    entries
                    + tried[place, default: []].sorted().map { key in
                        ConfigurationNode.Entry(
                            key: key, keyLocation: node.location, value: value)
                    }
                var more: [ConfigurationNode.Entry] = []
                for entry in all {
                    let inner = path.isEmpty ? entry.key : "\(path).\(entry.key)"
                    more.append(
                        .init(
                            key: entry.key, keyLocation: entry.keyLocation,
                            value: self.more(entry.value, at: inner)))
                }
                written[place, default: []].formUnion(all.map(\.key))
                let nothing = ConfigurationNode(.scalar("x", isQuoted: true), at: node.location)
                more.append(
                    .init(
                        key: DocumentedKeysTests.unknownKey, keyLocation: node.location,
                        value: nothing))
                return ConfigurationNode(.mapping(more), at: node.location)
            }
        }
    }

    /// The keys that may stand in each place. A key that the text lacks is tried with a mapping and
    /// with a list, and so are the keys in these: a new key needs no line here.
    private static func read(_ text: String = topology) throws -> Keys {
        var tried: Keys = [:]
        while true {
            var allowed: Keys = [:]
            var written: Keys = [:]
            for asLists in [false, true] {
                var trial = Trial(tried: tried, asLists: asLists)
                for (place, keys) in try allowedKeys(text, &trial) {
                    allowed[place, default: []].formUnion(keys)
                }
                written.merge(trial.written) { $0.union($1) }
            }
            var isWhole = true
            for (place, keys) in allowed {
                let missing = keys.subtracting(try #require(written[place], "\(place)"))
                guard !missing.isEmpty else { continue }
                tried[place, default: []].formUnion(missing)
                isWhole = false
            }
            if isWhole { return allowed }
        }
    }

    /// What the refusals of the unknown keys name.
    private static func allowedKeys(_ text: String, _ trial: inout Trial) throws -> Keys {
        let root = trial.more(try YAMLConfiguration.read(Array(text.utf8), file: "t.yaml"))
        let policy = trial.more(
            try YAMLConfiguration.read(Array("rules: []".utf8), file: "p.yaml"))
        var allowed: Keys = [:]
        do throws(ConfigurationFailure) {
            _ = try TopologyReader.read(
                root, folder: "", environment: [:],
                openPolicy: { (_) throws(ConfigurationFailure) in policy })
        } catch {
            guard case .invalid(let problems, _) = error else { throw error }
            for problem in problems where problem.found == "unknown key \"\(unknownKey)\"" {
                let path = problem.field.split(separator: ".").dropLast().joined(separator: ".")
                allowed[place(problem.location.file, path), default: []]
                    .formUnion(problem.allowed.components(separatedBy: ", "))
            }
        }
        return allowed
    }

    @Test("Keys that stand nowhere in a text are found, and the keys in them")
    func found() throws {
        let allowed = try Self.read()
        let bare = try Self.read("{ version: 1, nodes: { a: {} } }")
        for place in [
            "t.yaml", "t.yaml defaults", "t.yaml nodes.a", "t.yaml nodes.a.retention",
            "t.yaml nodes.a.notify",
        ] {
            #expect(bare[place] == allowed[place], "\(place)")
        }
    }

    // MARK: Documents

    /// The first table after a heading.
    private struct Table {
        let rows: [[String]]

        init(_ document: String, _ heading: String) throws {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../docs/\(document)")
            let page = try String(contentsOf: file, encoding: .utf8)
            let parts = "\n\(page)".components(separatedBy: "\n\(heading)\n")
            let rest = try #require(parts.count == 2 ? parts.last : nil, "\(document) \(heading)")
            rows = rest.split(separator: "\n", omittingEmptySubsequences: false)
                .drop { !$0.hasPrefix("| --- ") }.dropFirst().prefix { $0.hasPrefix("|") }
                .map { row in
                    row.dropFirst().dropLast().components(separatedBy: "|")
                        .map { $0.trimmingCharacters(in: .whitespaces) }
                }
        }

        /// The keys in the first column.
        var keys: Set<String> { Set(rows.flatMap { Self.keys($0[0]) }) }

        /// The keys in the second column of a row.
        func keys(in key: String) throws -> Set<String> { Set(Self.keys(try row(key)[1])) }

        /// What a row has in braces: `key: { a, b }`.
        func members(of key: String) throws -> Set<String> {
            let row = try row(key).joined(separator: " ")
            let braces = try #require(row.firstMatch(of: #/\{ ([^}]*) \}/#), "\(key)")
            return Set(braces.1.split(separator: ", ").map { String($0) })
        }

        private func row(_ key: String) throws -> [String] {
            let row = rows.first { Self.keys($0[0]).contains(key) }
            return try #require(row, "no row of \(key)")
        }

        /// The words that begin what is set as code.
        private static func keys(_ cell: String) -> [String] {
            cell.matches(of: #/`([A-Za-z]+)[^`]*`/#).map { String($0.1) }
        }
    }

    private static func documented() throws -> Keys {
        let file = try Table("topology.md", "## The file")
        let nodes = try ["### Links", "### Deciding", "### Files"].map {
            try Table("topology.md", $0)
        }
        let presenters = try Table("topology.md", "## Presenters")
        let hooks = try Table("topology.md", "## Hooks")
        let console = try Table("console.md", "# The console")
        let conditions = try Table("policies.md", "## Conditions")
        let actions = try Table("policies.md", "## Actions")
        let match = try conditions.members(of: "match")
        #expect(try presenters.members(of: "console") == console.keys)
        return [
            "p.yaml": ["rules"],
            "t.yaml": file.keys,
            "t.yaml defaults": try file.keys(in: "defaults"),
            "t.yaml nodes.a": nodes[0].keys.union(nodes[1].keys).union(nodes[2].keys),
            "t.yaml nodes.a.retention": try nodes[2].keys(in: "retention"),
            "t.yaml nodes.a.presenters": presenters.keys,
            "t.yaml nodes.a.presenters.console": console.keys,
            "t.yaml nodes.a.presenters.console.tls": try console.keys(in: "tls"),
            "t.yaml nodes.a.presenters.console.proxy":
                try Table("sign-in.md", "### A proxy that signs people in").keys,
            "t.yaml nodes.a.presenters.console.oidc":
                try Table("sign-in.md", "### Signing in by OpenID Connect").keys,
            "t.yaml nodes.a.notify": hooks.keys,
            "t.yaml nodes.a.notify.answerLinks": try hooks.members(of: "answerLinks"),
            "t.yaml nodes.a.notify.match": match,
            "t.yaml nodes.a.responders": conditions.keys.union(actions.keys),
            "t.yaml nodes.a.responders.match": match,
            "t.yaml nodes.a.responders.during": try conditions.members(of: "during"),
            "t.yaml nodes.a.responders.rewrite": try actions.members(of: "rewrite"),
            "t.yaml nodes.a.responders.addOption": try actions.members(of: "addOption"),
            "t.yaml nodes.a.responders.addOption.fields":
                try Table("wire.md", "## 20. Values").keys,
            "t.yaml nodes.a.responders.answer": try actions.members(of: "answer"),
        ]
    }

    @Test("The documents have the keys that are read, in the places where they are read")
    func documents() throws {
        let documented = try Self.documented()
        let allowed = try Self.read()
        #expect(Set(documented.keys) == Set(allowed.keys))
        for (place, keys) in allowed { #expect(documented[place] == keys, "\(place)") }
    }
}
