package import BusNodeKit
package import ErrorBus
import Foundation
import Glibc
import OrderedCollections

/// The roles of a topology's nodes in a chaos run (presenting errors, relaying, answering), and
/// their links.
package struct ChaosPlan: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable {
        /// A leaf: presents its share of the errors.
        case worker
        case relay
        /// A node with presenters: an automatic one replaces them.
        case presenter
    }

    package struct Process: Hashable, Sendable {
        package let settings: TopologyNode
        let role: Role

        package var name: NodeName { settings.name }
    }

    /// The link from a node to one of its parents.
    struct Link: Hashable, Sendable {
        let child: NodeName
        let parent: NodeName
        /// The endpoint where the parent listens.
        let target: Endpoint

        var name: String { "\(child)-to-\(parent)" }
    }

    package let processes: [Process]
    let links: [Link]

    /// - Throws: ``Failure`` with 78 when no node presents or answers, when rules route errors, or
    ///   when a node is connected to something outside the topology, which would receive them.
    package init(_ topology: Topology, path: String) throws(Failure) {
        func bad(_ text: String) -> Failure { Failure(.badConfiguration, "\(path): \(text)") }
        processes = topology.settings.map { settings in
            let isLeaf = topology.children(of: settings.name).isEmpty && !settings.next.isEmpty
            let role: Role =
                isLeaf ? .worker : settings.presenters.isEmpty ? .relay : .presenter
            return Process(settings: settings, role: role)
        }
        guard processes.contains(where: { $0.role == .presenter }) else {
            throw bad("no node has presenters, so no node would answer")
        }
        guard processes.contains(where: { $0.role == .worker }) else {
            throw bad("no node is a leaf with a next, so no node would present")
        }
        for node in topology.settings where node.responders.contains(where: { $0.route != nil }) {
            throw bad("node \(node.name): found a rule with route; a run takes links of next alone")
        }
        var links: [Link] = []
        for settings in topology.settings {
            for (hop, destination) in zip(settings.next, topology.destinations(of: settings)) {
                guard case .node(let parent) = destination else {
                    throw bad("node \(settings.name): next \(hop) is not of this topology")
                }
                guard let target = topology.endpoint(of: hop) else {
                    throw bad("node \(parent) has no `listen` endpoint to connect to")
                }
                let link = Link(child: settings.name, parent: parent, target: target)
                guard !links.contains(where: { $0.name == link.name }) else {
                    throw bad(
                        "node \(settings.name): next has two ways to node \(parent); "
                            + "chaos takes one")
                }
                links.append(link)
            }
        }
        self.links = links
    }

    /// The number of errors for each worker: equal to within one.
    func shares(of count: Int) -> [NodeName: Int] {
        let workers = processes.filter { $0.role == .worker }.map(\.name)
        var shares: [NodeName: Int] = [:]
        for (index, worker) in workers.enumerated() {
            shares[worker] = count / workers.count + (index < count % workers.count ? 1 : 0)
        }
        return shares
    }

    /// Whether every presentation has to end with an answer, because no process gives up by itself.
    var everyEndIsAnAnswer: Bool {
        processes.allSatisfy {
            $0.role != .worker
                || ($0.settings.whenUnreachable == .hold && $0.settings.deadline == nil)
        }
    }

    /// The processes that these faults may kill, and the spared ones with the reason.
    package func killable(_ faults: [ChaosFault]) -> (names: [NodeName], spared: [NodeName]) {
        var names: [NodeName] = []
        var spared: [NodeName] = []
        for process in processes {
            let isVolatile = process.role == .presenter && process.settings.journal == nil
            if isVolatile ? faults.contains(.killPresenter) : faults.contains(.kill) {
                names.append(process.name)
            } else if faults.contains(.kill) {
                spared.append(process.name)
            }
        }
        return (names, spared)
    }
}

/// The settings of a chaos run.
package struct ChaosSettings: Sendable {
    let topology: String
    package let seed: UInt64
    /// How long faults and presentations go on.
    package let duration: Duration
    let presentations: Int
    package let faults: [ChaosFault]
    /// How long the bus may take to settle after the last fault.
    let settleLimit: Duration
    let logLevel: String

    package init(
        topology: String, seed: UInt64, duration: Duration, presentations: Int,
        faults: [ChaosFault], settleLimit: Duration, logLevel: String
    ) {
        self.topology = topology
        self.seed = seed
        self.duration = duration
        self.presentations = presentations
        self.faults = faults
        self.settleLimit = settleLimit
        self.logLevel = logLevel
    }
}

/// The folder of a run's logs and sockets.
package struct ChaosFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// A new folder, with a path short enough for sockets in it.
    package static func make() throws -> ChaosFolder {
        var template = Array("/tmp/bus-node-chaos-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(.cannotCreate, "/tmp: \(String(cString: strerror(errno)))")
        }
        return ChaosFolder(
            path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        )
    }

    package func log(of node: NodeName) -> String { "\(path)/\(node).jsonl" }

    package func journal(of node: NodeName) -> String { "\(path)/\(node).sqlite" }

    package func readyFile(of node: NodeName) -> String { "\(path)/\(node).ready" }

    func statusFile(of node: NodeName) -> String { "\(path)/\(node).status" }

    func isReady(_ node: NodeName) -> Bool {
        FileManager.default.fileExists(atPath: readyFile(of: node))
    }

    private var startFile: String { "\(path)/start" }

    /// Decides the start of the run, on the clock of ``ChaosWorker/uptime``.
    func begin(at start: Duration) throws(Failure) {
        do {
            try String(start.wholeMicroseconds)
                .write(toFile: startFile, atomically: true, encoding: .utf8)
        } catch {
            throw Failure(.cannotCreate, "\(startFile): cannot be written")
        }
    }

    /// The start of the run, once it is decided.
    func start() async throws -> Duration {
        while true {
            if let text = try? String(contentsOfFile: startFile, encoding: .utf8),
                let microseconds = Int64(text)
            {
                return .microseconds(microseconds)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The path of this program, for the processes of the run.
    static var ownProgram: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }
}
