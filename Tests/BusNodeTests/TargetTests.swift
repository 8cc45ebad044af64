import Testing

@testable import BusNodeKit
@testable import ErrorBus
@testable import bus_node

struct TargetTests {
    @Test("A duration beyond the longest is refused with the longest")
    func tooLong() throws {
        #expect(try Target.duration("3650d", option: "--deadline") == .seconds(3650 * 86_400))
        #expect {
            _ = try Target.duration("3651d", option: "--deadline")
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .usage && failure?.text.contains("at most 3650d") == true
        }
    }

    @Test(
        "A length that a silence cannot have is refused before it is sent",
        arguments: ["60d", "10y", "0s", "999ms", "4000d"])
    func silence(text: String) throws {
        #expect(InboxSilenceAdd.lengths == SilenceTable.durationRange)
        for allowed in ["1s", "30d"] {
            _ = try Target.duration(allowed, option: "--for", in: InboxSilenceAdd.lengths)
        }
        let refusal =
            "--for: found \"\(text)\", allowed: 1s to 30d, as a whole number and ms, s, m, h or d"
        #expect {
            _ = try Target.duration(text, option: "--for", in: InboxSilenceAdd.lengths)
        } throws: { error in
            (error as? Failure)?.text == refusal
        }
    }
}
