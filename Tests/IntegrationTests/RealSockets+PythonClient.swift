import ErrorBusTesting
import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

extension RealSockets {
    /// The clients in Examples/clients, as a user would copy them.
    @Suite struct PythonClientTests {
        /// Gives values, one of them secret.
        private struct Giving: Presenter {
            let presenterName = "console"

            func present(_ prompt: Prompt) async throws -> Answer? {
                try prompt.answer(
                    "move", by: "ann", via: .person, values: ["path": "/srv", "pin": "4711"],
                    comment: "It is full.")
            }
        }

        /// A report whose option asks for values, as the client reads it.
        private static let asking = """
            {"domain": "org.example.copy", "description": "No room.", "recoveryOptions": [
             {"id": "move", "title": "Move", "fields": [
              {"name": "path", "label": "Path", "kind": "text", "required": true, "pattern": "/*"},
              {"name": "count", "label": "Count", "kind": "number", "max": 9, "default": 3},
              {"name": "pin", "label": "PIN", "kind": "secret"}]}]}
            """

        @Test("A41 the REQ client in Python gets the values, and prints of a secret the name")
        func values() async throws {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [Giving()], parts: { $0.audit = audit })
            try await bus.run(central) {
                let report = "\(bus.folder)/report.json"
                try Self.asking.write(toFile: report, atomically: true, encoding: .utf8)
                let printed = try await Python.run(
                    "req_client.py", "--endpoint", bus.endpoint("central").description, "--report",
                    report, "--recovering", "move")
                #expect(printed["values"] == ["path": "/srv", "count": 3])
                #expect(printed["secrets"] == ["pin"] && printed["comment"] == "It is full.")
                #expect(printed["result"] == "recovered" && printed["settled"] == true)
                #expect(try await audit.nextResult() == .recovered)
            }
        }

        @Test(
            "A42 the REQ client in Python attempts nothing with values that do not fit",
            arguments: [
                (#"{"values": {"path": "/srv", "count": 9}, "secrets": {"pin": "1"}}"#, "None"),
                ("{}", "path is missing"),
                (#"{"values": {"path": "srv"}}"#, "path does not fit"),
                (#"{"values": {"path": "/srv", "count": 10}}"#, "count does not fit"),
                (#"{"values": {"path": "/srv", "count": true}}"#, "count does not fit"),
                (#"{"values": {"path": "/srv", "pin": "1"}}"#, "pin is not asked for"),
                (#"{"values": {"path": "/srv", "more": 1}}"#, "more is not asked for"),
                (#"{"values": {"path": "/srv", "count": null}}"#, "None"),
                (#"{"values": {"path": null}}"#, "path is missing"),
                (#"{"values": null}"#, "path is missing"),
                (#"{"values": {"path": "/s\u0007rv"}}"#, "path does not fit"),
                (#"{"values": {"path": "/srv"}, "secrets": {"pin": "1\n2"}}"#, "None"),
                (#"{"values": {"path": "/srv", "count": -1e999}}"#, "count does not fit"),
                (
                    #"{"values": {"path": "/srv", "count": -9007199254740993}}"#,
                    "count does not fit"
                ),
                (#"{"values": []}"#, "its values cannot be read"),
                ("[]", "its values cannot be read"), ("{", "its values cannot be read"),
                (#"{"values": {"path": "/srv"}, "comment": 1}"#, "None"),
                (
                    #"{"values": {"path": "/srv"}, "withheld": ["pin"]}"#,
                    "a node has lost the secrets"
                ),
            ])
        func misfit(extras: String, problem: String) async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: """
                    import json, sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import extras_of, misfit
                    [option] = json.loads(sys.argv[2])["recoveryOptions"]
                    print(misfit(option, extras_of(sys.argv[3].encode())))
                    """, clients, Self.asking, extras)
            #expect(printed == problem)
        }

        @Test(
            "The REQ client in Python attempts an option for two people only for two",
            arguments: [
                (#""via": "person", "by": "ann", "second": "bob""#, "recovered"),
                (#""via": "person", "by": "ann""#, "invalid"),
                (#""via": "person", "by": "ann", "second": "ann""#, "invalid"),
                (#""via": "person", "by": "ann", "second": " ""#, "invalid"),
                (#""via": "policy", "by": "rule 1", "second": "rule 2""#, "invalid"),
            ])
        func twoPeople(authors: String, result: String) async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: """
                    import json, sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import apply
                    report = {"recoveryOptions": [{"id": "drop", "twoPeople": True}]}
                    fields = {"option": "drop", "extras": {}} | json.loads(sys.argv[2])
                    print(apply(fields, report, ["drop"]))
                    """, clients, "{\(authors)}")
            #expect(printed == result)
        }

        @Test("The REQ client in Python presents no signed option, whose answer it cannot check")
        func signed() async throws {
            let bus = Bus()
            defer { try? FileManager.default.removeItem(atPath: bus.folder) }
            let report = "\(bus.folder)/report.json"
            try #"{"recoveryOptions": [{"id": "drop", "title": "Drop", "signed": true}]}"#
                .write(toFile: report, atomically: true, encoding: .utf8)
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: """
                    import sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import main
                    sys.argv[1:] = ["--report", sys.argv[2], "--deadline", "0.1"]
                    print(main())
                    """, clients, report)
            #expect(printed == "64")
        }

        @Test("The storm takes the console's token from its address, else from the environment")
        func stormToken() async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: """
                    import os, sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from storm import Console
                    os.environ["BUS_NODE_CONSOLE_TOKEN"] = "a+b="
                    for address in ("http://c.example", "http://c.example/?token=c%2Fd"):
                        print(Console(address).token, end=" ")
                    """, clients)
            #expect(printed == "a+b= c/d ")
        }

        @Test("The REQ client in Python tells a passed deadline by its exit status")
        func exitStatus() async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: """
                    import sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import status_of
                    expiry = {"via": "expiry", "did-recover": "false", "reason": "expired"}
                    print(status_of("ANSWER", expiry), status_of("EXPIRED", {}),
                          status_of("REJECT", {"code": "408"}),
                          status_of("ANSWER", {"via": "person", "option": "retry"}),
                          status_of("ANSWER", {"via": "policy", "did-recover": "false"}),
                          status_of("REJECT", {"code": "503"}), status_of("WITHDRAWN", {}))
                    """, clients)
            #expect(printed == "75 75 75 0 0 69 1")
        }

        @Test("The REQ client in Python matches patterns with many stars without trying all ways")
        func patterns() async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: #"""
                    import sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import matches
                    matching = [("a", "a"), ("*", ""), ("a*", "a\n"), ("a*b*c", "abbc"),
                                ("*b*", "abc"), ("a**c", "ac"), ("/^a+$/", "aa")]
                    others = [("a", "ab"), ("aa*a", "aa"), ("a*b*c", "acb"), ("*ab*bc", "abc"),
                              ("*a" * 12 + "*b", "a" * 4096), ("", "a")]
                    print(all(matches(*each) for each in matching),
                          any(matches(*each) for each in others))
                    """#, clients)
            #expect(printed == "True False")
        }

        @Test("The REQ client in Python reads a reason that has the line separator of Unicode")
        func lineSeparator() async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: #"""
                    import sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import decode
                    header = "code: 400\nreason: a\u2028b\n"
                    _, fields = decode([b"EB1", b"REJECT", header.encode(), b""])
                    print(ascii(fields["reason"]), decode([b"EB1", b"OK", b"", b""])[1])
                    """#, clients)
            #expect(printed == #"'a\u2028b' {}"#)
        }

        @Test("The REQ client in Python reads fields with any spaces, and one without its end")
        func looseHeader() async throws {
            let clients = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../Examples/clients").standardizedFileURL.path
            let printed = try await Python.run(
                lines: #"""
                    import sys
                    sys.dont_write_bytecode = True
                    sys.path.insert(0, sys.argv[1])
                    from req_client import decode
                    header = b"code:403\nreason:  a: b \nretry-ms: 5"
                    print(decode([b"EB1", b"REJECT", header, b""]))
                    """#, clients)
            #expect(
                printed == "('REJECT', {'code': '403', 'reason': 'a: b', 'retry-ms': '5'})")
        }

        @Test(
            "The REQ client in Python presents, applies and settles", arguments: ["node", "proxy"])
        func request(way: String) async throws {
            let bus = Bus()
            let audit = RecordingAudit()
            let central = try bus.node(
                "central", presenters: [FixedPresenter(option: "retry")],
                parts: { $0.audit = audit })
            try await bus.run(central) {
                let proxy =
                    way == "proxy"
                    ? try QueueProxy(from: bus.endpoint("proxy"), to: bus.endpoint("central")) : nil
                defer { proxy?.stop() }
                let printed = try await Python.run(
                    "req_client.py", "--endpoint",
                    bus.endpoint(way == "proxy" ? "proxy" : "central").description)
                #expect(printed["verb"] == "ANSWER")
                #expect(printed["option"] == "retry")
                #expect(printed["result"] == "recovered")
                #expect(printed["settled"] == true)
                #expect(try await audit.nextResult() == .recovered)
            }
        }

        @Test("The clients in Python present with a key, and get nothing with another")
        func key() async throws {
            let bus = Bus()
            let (own, central) = (try #require(KeyPair.make()), try #require(KeyPair.make()))
            let known = ["central": central.publicKey, "deploy": own.publicKey] as [NodeName: _]
            let open = try Endpoint("tcp://127.0.0.1:*")
            let node = try bus.node(
                "central", parents: [], presenters: [FixedPresenter(option: "retry")],
                settings: { $0.listen = [open] },
                parts: { $0.keys = KeyRing(LinkKeys(own: central, known: known)) })
            try await bus.run(node) {
                func write(_ pair: KeyPair, _ name: String) throws -> String {
                    let file = "\(bus.folder)/\(name)"
                    try KeyCertificate(pair).secretText?
                        .write(toFile: file, atomically: true, encoding: .utf8)
                    return file
                }
                let endpoint = try #require(await node.boundEndpoints.first).description
                let parent = try write(central, "central.key_secret")
                let secret = try write(own, "deploy.key_secret")
                let bare = try await Python.run(
                    "bare_client.py", "--endpoint", endpoint, "--parent", parent, "--secret",
                    secret)
                #expect(bare["option"] == "retry")
                let request = try await Python.run(
                    "req_client.py", "--endpoint", endpoint, "--parent", parent, "--secret",
                    secret, "--origin", "deploy")
                #expect(request["option"] == "retry" && request["settled"] == true)
                let stranger = try write(try #require(KeyPair.make()), "stranger.key_secret")
                await #expect(throws: Python.Failed.self) {
                    try await Python.run(
                        "bare_client.py", "--endpoint", endpoint, "--parent", parent, "--secret",
                        stranger, "--timeout", "0.5")
                }
                await #expect(throws: Python.Failed.self) {
                    try await Python.run(
                        "req_client.py", "--endpoint", endpoint, "--parent", parent, "--secret",
                        stranger, "--origin", "deploy", "--deadline", "0.5")
                }
            }
        }

        @Test("The bare client in Python prints that its deadline has passed")
        func expired() async throws {
            let bus = Bus()
            let presenter = ScriptedPresenter("person", .waitForCancellation)
            let central = try bus.tcpRoot("central", presenters: [presenter])
            try await bus.run(central) {
                let endpoint = try #require(await central.boundEndpoints.first).description
                let printed = try await Python.run(
                    "bare_client.py", "--endpoint", endpoint, "--timeout", "0.5")
                #expect(printed["outcome"] == "expired")
            }
        }

        @Test("The bare client in Python gets the same answer for the same id")
        func bare() async throws {
            let presenter = FixedPresenter(option: "cancel")
            let bus = Bus()
            let central = try bus.tcpRoot("central", presenters: [presenter])
            try await bus.run(central) {
                let endpoint = try #require(await central.boundEndpoints.first).description
                let id = PresentationID.make()
                for _ in 0..<2 {
                    let printed = try await Python.run(
                        "bare_client.py", "--endpoint", endpoint, "--id", id.description)
                    #expect(printed["outcome"] == "answered")
                    #expect(printed["option"] == "cancel")
                }
                #expect(presenter.counts == [id: 1])
            }
        }
    }
}
