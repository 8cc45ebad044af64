import ArgumentParser
import Testing

@testable import BusNodeKit
@testable import bus_node

struct CountOptionTests {
    @Test("A number at either end of its range is taken")
    func ends() throws {
        for count in [1, 30] { try CountOption.check(count, option: "--days", in: 1...30) }
        for count in [1, Int.max] { try CountOption.check(count, option: "--tail", in: 1...) }
    }

    @Test("A number outside its range is refused with what is allowed", arguments: [0, 31])
    func outside(count: Int) {
        #expect {
            try CountOption.check(count, option: "--days", in: 1...30)
        } throws: { error in
            (error as? Failure)?.text == "--days: found \(count), allowed: 1 to 30"
        }
    }

    @Test("A number below a range without an end is refused")
    func below() {
        #expect {
            try CountOption.check(-1, option: "--seen", in: 0...)
        } throws: { error in
            (error as? Failure)?.text == "--seen: found -1, allowed: 0 and above"
        }
    }

    @Test("Refusals of values have one form, whatever the command")
    func commands() throws {
        func refusal(_ check: () throws(Failure) -> Void) -> String? {
            do throws(Failure) {
                try check()
                return nil
            } catch {
                return error.status == .usage ? error.text : nil
            }
        }
        let history = try History.parse(["--limit", "0"])
        #expect(refusal(history.check) == "--limit: found 0, allowed: 1 to 200000")
        let events = try History.parse(["--events", "--end", "expired"])
        #expect(refusal(events.check) == "--end: events have none; leave out --events")
        let log = try Log.parse(["--tail", "0"])
        #expect(refusal(log.check) == "--tail: found 0, allowed: 1 and above")
        let exec = try Exec.parse(["--on-expiry", "wipe", "--", "true"])
        #expect(
            refusal(exec.check) == "--on-expiry: found \"wipe\", allowed: retry, skip, abort")
    }
}
