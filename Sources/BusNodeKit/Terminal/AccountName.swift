import Foundation
import Glibc

/// The name of the person at this process's terminal, as the record of an answer has it.
enum AccountName {
    /// The name in `USER`, else that of the account; of an account without a name, as in a
    /// container, its number.
    static func current(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        account: String = NSUserName(), number: uid_t = geteuid()
    ) -> String {
        let names = [environment["USER"] ?? "", account]
        return names.first { !$0.allSatisfy(\.isWhitespace) } ?? "uid \(number)"
    }
}
