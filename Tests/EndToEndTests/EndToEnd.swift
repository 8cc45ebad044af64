import Testing

/// Real `bus-node` processes. One test at a time: each starts several.
@Suite(.serialized, .timeLimit(.minutes(10)))
enum EndToEnd {}
