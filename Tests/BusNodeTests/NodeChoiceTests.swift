import ArgumentParser
import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore
@testable import bus_node

/// Which node is meant, and what is said when none is, or two.
struct NodeChoiceTests {
    private func chosen(
        _ arguments: [String], naming: String? = nil, _ environment: [String: String] = [:]
    ) -> String {
        do {
            let choice = try NodeChoice.parse(arguments)
            let chosen = try choice.chosen(
                naming: naming, missing: "no node", environment: environment)
            return switch chosen {
            case .endpoint(let endpoint): endpoint.description
            case .node(let name, let topology): "\(name) in \(topology)"
            }
        } catch let failure as Failure {
            #expect(failure.status == .usage)
            return failure.text
        } catch {
            return "\(error)"
        }
    }

    @Test("By endpoint, by name, by the environment; arguments come before it")
    func found() {
        let environment = [
            "BUS_NODE_TO": "ipc:///e", "BUS_NODE_TOPOLOGY": "e.yaml", "BUS_NODE_NODE": "n",
        ]
        #expect(chosen(["--to", "tcp://127.0.0.1:1"]) == "tcp://127.0.0.1:1")
        #expect(chosen(["--topology", "t.yaml", "--node", "a"]) == "a in t.yaml")
        #expect(chosen(["--topology", "t.yaml"], naming: "a") == "a in t.yaml")
        #expect(chosen([], environment) == "ipc:///e")
        #expect(chosen([], naming: "a", environment) == "a in e.yaml")
        #expect(chosen(["--node", "a"], environment) == "a in e.yaml")
        #expect(chosen(["--topology", "t.yaml"], environment) == "n in t.yaml")
        #expect(chosen([], ["BUS_NODE_TOPOLOGY": "e.yaml", "BUS_NODE_NODE": "n"]) == "n in e.yaml")
    }

    @Test("None, two, half a choice, or no endpoint: each has its message")
    func refused() {
        #expect(chosen([]).hasPrefix("no node: give --to ENDPOINT"))
        #expect(chosen(["--to", "ipc:///e"], naming: "a").hasPrefix("give either --to"))
        #expect(
            chosen(["--node", "b", "--topology", "t"], naming: "a")
                == "found two nodes, a and --node b; give one")
        #expect(chosen(["--topology", "t.yaml"]).hasPrefix("no node: t.yaml needs a node's name"))
        #expect(chosen(["--to", "nowhere"]).hasPrefix("--to: "))
        let empty = ["BUS_NODE_TO": "", "BUS_NODE_TOPOLOGY": "", "BUS_NODE_NODE": ""]
        #expect(chosen([], empty).hasPrefix("no node: give --to ENDPOINT"))
        #expect(
            chosen(["--topology", "t.yaml"], empty).hasPrefix("no node: t.yaml needs a node's name")
        )
        #expect(chosen([], ["BUS_NODE_TO": "nowhere"]).hasPrefix("BUS_NODE_TO: "))
    }

    @Test("For want of a node's name the nodes of the topology are listed")
    func nameless() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            version: 1
            nodes:
              central: { listen: "ipc://c", presenters: [terminal] }
              relay: { next: central }
            """, to: "t.yaml")
        #expect(
            chosen(["--topology", file])
                == "no node: \(file) needs a node's name, as --node NAME; nodes: central, relay")
    }
}
