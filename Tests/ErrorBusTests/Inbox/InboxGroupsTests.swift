import Testing

@testable import ErrorBusCore

@Suite("The table of open groups")
struct InboxGroupsTests {
    @Test("Of the groups that are gone it remembers the latest, at most twice its limit")
    func bounded() {
        var groups = InboxGroups()
        for number in 1...100 {
            let key = CoalescingKey(ErrorReport(domain: "d", code: number, description: "broken"))
            let (id, revision) = (PresentationID(UInt64(number)), UInt64(2 * number))
            let group = groups.add(id, key, at: revision - 1)
            groups.remove(id, from: group, at: revision, remembering: 3)
        }
        #expect(groups.openNumbers.isEmpty)
        let (gone, forgotten) = (groups.gone(after: 0), groups.forgottenRevision)
        #expect((3...6).contains(gone.count))
        #expect(gone.last?.revision == 200)
        #expect(gone.allSatisfy { $0.revision > forgotten })
    }
}
