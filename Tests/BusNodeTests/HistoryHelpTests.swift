import ArgumentParser
import Testing

@testable import bus_node

struct HistoryHelpTests {
    @Test("The help lists the ends in words")
    func ends() {
        let help = History.helpMessage(columns: 1_000)
        let words =
            "recovered, not recovered, too late, withdrawn, refused by its owner, no result known, "
            + "failed again, cancelled, expired, withheld, passed on; without an end: open, "
            + "claimed or left"
        #expect(help.contains(words), "\(help)")
    }
}
