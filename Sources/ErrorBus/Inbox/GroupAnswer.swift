/// What came of answering a whole group.
public struct GroupAnswer: Hashable, Sendable {
    public internal(set) var answered: [PresentationID] = []
    /// Those that were not, and why: ended meanwhile, claimed by another person.
    public internal(set) var refused: [PresentationID: InboxRefusal] = [:]
}
