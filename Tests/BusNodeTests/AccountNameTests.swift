import Testing

@testable import BusNodeKit

/// The author of what a person does at a terminal.
@Suite struct AccountNameTests {
    @Test("No answer is without an author, also of an account without a name")
    func names() {
        func name(_ environment: [String: String], _ account: String) -> String {
            AccountName.current(environment: environment, account: account, number: 10_001)
        }
        #expect(name(["USER": "ann"], "root") == "ann")
        #expect(name([:], "root") == "root")
        #expect(name(["USER": ""], "root") == "root")
        #expect(name(["USER": " "], "") == "uid 10001")
    }
}
