import ErrorBus

/// What happened, as seen from outside the nodes: by callers, by recovery attempts, by people and
/// on disk. The checkers read nothing else. Times are the scheduler's.
struct Ledger {
    /// One asking of a caller, in one life of its process.
    struct Ask {
        let id: PresentationID
        let worker: String
        let life: Int
        let time: UInt64
        let deadline: UInt64?
        let onExpiry: String?
        var cancelled: UInt64?
        /// When the process was killed, or had stopped.
        var lifeEnd: UInt64?
        var isLifeOver: Bool { lifeEnd != nil }
        /// A parent has got its PRESENT.
        var isHeard = false
        var completions: [(time: UInt64, outcome: Outcome)] = []
        /// Its state, as reported to the caller.
        var told: [(time: UInt64, state: PresentationState)] = []
        /// Which of ``Trouble`` went wrong.
        let trouble: Int
        /// Its id stands for what another worker asked before.
        let isSecond: Bool
        /// The presentation of the same operation before, and how many there were.
        var retryOf: PresentationID?
        var retryCount = 0

        /// Its time was over before an answer came; its own default was applied, if it has one.
        var hasExpired: Bool {
            completions.contains {
                $0.outcome.reason == .expired || $0.outcome.answer?.via == .expiry
            }
        }

        /// A caller waits for its outcome.
        var isOpen: Bool { completions.isEmpty && !isLifeOver && cancelled == nil }
    }

    struct Attempt {
        let id: PresentationID
        let process: String
        let life: Int
        let option: String
        let time: UInt64
        /// What it got for its fields; nil for an option of a relay.
        var values: FieldValues?
        /// For how long it may go on.
        var limit = Plan.attemptMax
        var result: (time: UInt64, didRecover: Bool)?
        /// It goes on for longer than it may, which ends it without success.
        var isTooLong = false
        /// Its code learned that its time was over.
        var isEnded: Bool?
        var isLifeOver = false
    }

    /// An answer that was safe on disk.
    struct Decision {
        let id: PresentationID
        let answer: Answer
        let time: UInt64
        var result: RecoveryResult?
        var settled: UInt64?
    }

    var asks: [Ask] = []
    var attempts: [Attempt] = []
    /// In the order in which they were recorded.
    var decisions: [Decision] = []
    /// Those that a later life of the presenter dropped, since their secrets were not on disk.
    var lostDecisions: [Decision] = []
    /// What the presenter wrote down as put to its people, in which life, and how slow that was.
    var taken: [(id: PresentationID, life: Int, time: UInt64, latencyMax: UInt64)] = []
    /// When lives were over.
    var lifeEnds: [Int: (process: String, time: UInt64)] = [:]
    /// What was answered where people are asked only while the presenter cannot be.
    var deskAnswers: [Decision] = []
    /// At that desk although the presenter can be asked, and for how long.
    var deskStood: [PresentationID: UInt64] = [:]
    /// Decisions that the disk refused, because another one was on it.
    var refusedDecisions: [(id: PresentationID, answer: Answer)] = []
    /// What bare clients got, by the id that they asked under.
    var bareReplies: [PresentationID: [BareReply]] = [:]
    var bareAsks: [PresentationID: BareAsk] = [:]
    /// What bare clients got that asked under an id which stands for another report.
    var bareSeconds: [PresentationID: [BareReply]] = [:]
    /// Answers that went to a process that had not asked.
    var leakedCount = 0
    /// How many prompts of an id people see.
    var prompts: [PresentationID: Int] = [:]
    /// Prompts that one presenter had twice at a time.
    var doublePrompts: [(id: PresentationID, presenter: String)] = []
    var shown: [Shown] = []
    /// Those of ``shown`` that are not hidden yet.
    var standing: [Int] = []
    var given: [Given] = []
    /// When people claimed something, gave it back or took an answer to it back.
    var handled: [(id: PresentationID, time: UInt64)] = []
    /// Until when it was claimed, or its answer could be taken back: not neglected.
    var caredFor: [PresentationID: UInt64] = [:]
    /// Until when what one person has proposed waits for another.
    var proposedUntil: [PresentationID: UInt64] = [:]
    /// What people took on, or gave back, and when.
    var claims:
        [(id: PresentationID, time: UInt64, station: PresentationState.Station, by: String)] = []
    /// What people at two inboxes took on, or gave back: then until no time.
    var claimsAtBoth: [ClaimAtOne] = []
    /// What reached which parent, and when: looked at where children go past one.
    var presents: [(time: UInt64, link: Network.LinkID)] = []
    /// When each parent that has little room first got what, by link.
    var firstHeard: [Network.LinkID: [PresentationID: UInt64]] = [:]
    /// What programs without a link sent to a node that is to stop.
    var requests: [Request] = []
    /// Their answers were given up while they were carried out, though others had more of them; and
    /// the most that one presenter waited for.
    var pushedOut: Set<PresentationID> = []
    var mostUndelivered = 0
    /// Shown to the next presenter while they were claimed.
    var passedOver: [PresentationID] = []
    /// What people read of whether an answer is on record, and whether it was.
    var records: [(id: PresentationID, answer: UniqueID?, isSaid: Bool, isTrue: Bool)] = []
    /// A second answer that an inbox took, and to what.
    var secondAnswers: [PresentationID] = []
    /// Open in an inbox when their prompts had ended there.
    var leftStanding: [PresentationID] = []
    /// Answered with a group that they do not belong to.
    var misgrouped: [PresentationID] = []
    /// What inboxes show at the end.
    var items: [Item] = []
    /// What people could choose from.
    var offered: [PresentationID: Set<String>] = [:]
    /// Asked, undecided, with a way to people, and yet not in front of them.
    var gaps: [PresentationID: (since: UInt64, lasted: UInt64)] = [:]
    /// How long a caller waited for an answer that was on record, with a way to it.
    var undelivered: [PresentationID: UInt64] = [:]
    /// How long no parent had heard of what is asked, with a way to people.
    var unheard: [PresentationID: UInt64] = [:]
    /// How long prompts stood after their callers had their outcome or had given up.
    var leftOpen: [PresentationID: UInt64] = [:]
    /// How long prompts stood after the lives of all that had asked were over.
    var orphaned: [PresentationID: UInt64] = [:]
    /// The child that the presenter was last asked by, where that one can reach the origin.
    var askers: [PresentationID: String] = [:]
    /// When a hop last had no room for what its child asks.
    var crowdedAt: [PresentationID: UInt64] = [:]
    /// What a parent refused for want of room.
    var refusedForRoom: Set<PresentationID> = []
    /// What came to the presenter by several children.
    var moved: Set<PresentationID> = []
    /// How many presentations of a child people had at most in front of them.
    var mostOpen: [String: Int] = [:]
    /// Shown beside another that they equal, where equal ones wait.
    var uncoalesced: [PresentationID] = []
    /// What a policy set out to decide that had been withdrawn by then.
    var decidedUnasked: [PresentationID] = []
    /// Since when no parent of a process has been there.
    var aloneSince: [String: UInt64] = [:]
    /// Open without a parent for longer than their callers bear.
    var heldTooLong: Set<PresentationID> = []
    /// What was not where it belongs, once recovery was over.
    var unsteady: Set<String> = []
    /// When lives began to stop in order.
    var stops: [Int: UInt64] = [:]
    /// When a child said HELLO although its link was to be kept.
    var greetings: [(time: UInt64, link: Network.LinkID)] = []
    /// How many messages found no room at a process, and how many its status counts.
    var overflows: [(process: String, dropped: Int, counted: Int)] = []
    /// For how many origins at a time each child stood.
    var mostOrigins: [String: Int] = [:]
    /// Open beside more than their child may have.
    var overRoom: [PresentationID] = []
    /// Came by another parent than the first of their process, which had a way up for long.
    var astray: [PresentationID] = []
    /// In front of people, and not open in their inbox.
    var notInInbox: Set<String> = []
    /// The most of what has ended that an inbox had.
    var mostEnded = 0
    /// The numbers of silences, as people were given them.
    var silenceNumbers: [Int] = []
    /// Answers that were given as their presenter passed the error on, and taken.
    var acknowledged: [(id: PresentationID, answer: UniqueID)] = []
    /// What the disk lost.
    var damaged: Set<PresentationID> = []
    /// What was asked by keys that no longer pass, and since when they do not.
    var revoked: [PresentationID: UInt64] = [:]
    /// What was asked in a play, and what has to come of its answer.
    var played: [PresentationID: RecoveryResult] = [:]
    var misplayed: [String] = []
    /// How many conversations there are, how many went as their scripts have it, and which not.
    var scriptCount = 0
    var spokenCount = 0
    var misspoken: [String] = []
    /// What people who have signed in did.
    var acts: [Act] = []
    /// What was held back as its presenter shut down.
    var heldAtStop: [HeldAtStop] = []
    /// What people wrote.
    var notes: [Note] = []
    /// What a console had read that was otherwise.
    var misread: [String] = []
    /// Lists of people that did not begin with what they had been asked first.
    var misordered: [String] = []
    /// What people did with a group that came to something else.
    var misshared: [String] = []
    /// What went over links, and what nodes said of that which is not so, of so many replies.
    var traffic = Traffic()
    var misstated: [String] = []
    var statusCount = 0
    /// When something last went wrong, or was mended.
    var lastFault: UInt64 = 0
    /// What tables still held at the end, by process.
    var leftovers: [(process: String, table: String, count: Int)] = []
    var threadCount = 1
    /// Shown when their answers were on record.
    var shownDecided: [PresentationID] = []
    /// What people did that has to be refused.
    var trespasses: [String] = []
    /// Without an outcome when their process had stopped in order.
    var leftWaiting: [PresentationID] = []
    /// Operations that ran, or were reported, when their callers had given up.
    var ranOn: [String] = []
    /// What was in front of people, or in a chain, of a process that had stopped in order.
    var leftInChain: [String] = []
    /// Links that were kept, though nothing came back on them.
    var clung: [String] = []
    /// What parents did not acknowledge, and what they said of where it stands behind its answer.
    var unacknowledged: [String] = []
    var saidLate: [String] = []
    /// Children that went over to another parent without a word to the one before.
    var unparted: [String] = []
    /// When a world stood still, with work that never ended.
    var stuckAt: UInt64?
    /// The most messages that went over a link in one second, in one direction.
    var busiest = 0
    /// How many nodes did not say what their tables hold.
    var unrepliedCount = 0

    // By index: to look at one does not copy those before it.
    func decision(of id: PresentationID) -> Decision? {
        for index in decisions.indices where decisions[index].id == id { return decisions[index] }
        return nil
    }

    /// It was decided at the desk, by then.
    func deskAnswer(to id: PresentationID, by time: UInt64 = .max) -> Decision? {
        deskAnswers.first { $0.id == id && $0.time <= time }
    }

    /// It is in front of people at the desk.
    func isAtDesk(_ id: PresentationID) -> Bool {
        standing.contains { shown[$0].id == id && shown[$0].presenter == Plan.desk }
    }

    /// Its caller's process carries an option out.
    func isBeingAttempted(_ ask: Ask) -> Bool {
        attempts.contains { $0.id == ask.id && $0.life == ask.life && $0.result == nil }
    }
}
