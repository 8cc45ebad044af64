/// What goes first when a history has too much, the lowest first: a process can cause any number of
/// presentations that end without a decision, and, where a policy answers, of decisions.
enum HistoryRank: Int, CaseIterable {
    case undecided, automatic, byPeople
}
