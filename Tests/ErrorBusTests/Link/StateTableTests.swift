import Foundation
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct StateTableTests {
    /// The tables of docs/states.md are what the machines do. Where they differ, the failure
    /// prints the page as it should be from there on.
    @Test("docs/states.md says what the machines do", arguments: StateTable.all.indices)
    func document(index: Int) throws {
        let table = StateTable.all[index].markdown
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/states.md")
        let page = try String(contentsOf: root, encoding: .utf8)
        #expect(page.contains(table), "docs/states.md lacks:\n\(table)")
    }
}
