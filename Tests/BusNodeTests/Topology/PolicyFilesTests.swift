import ErrorBus
import Testing

@testable import BusNodeKit

struct PolicyFilesTests {
    private func files(_ presenters: [PresenterSettings]) -> String? {
        var node = TopologyNode(name: "central")
        node.presenters = presenters
        return node.policyFiles
    }

    @Test("The log names each policy file of a node once, and at most ten of them")
    func named() {
        let policies = (1...12).map { PresenterSettings.policy(path: "\($0).yaml", rules: []) }
        #expect(files([.terminal]) == nil)
        #expect(files([policies[0], .terminal, policies[1], policies[0]]) == "1.yaml, 2.yaml")
        let all = files(policies)
        #expect(all?.hasPrefix("1.yaml, 2.yaml, ") == true)
        #expect(all?.hasSuffix(", 10.yaml and 2 more") == true)
    }
}
