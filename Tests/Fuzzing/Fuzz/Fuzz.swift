import Glibc

/// The target of this process: libFuzzer's calls carry no context.
nonisolated(unsafe) private var chosen: FuzzTarget?

/// Feeds what libFuzzer makes to a part of the library. libFuzzer has the main function, and calls
/// this before anything else.
///
///     fuzz TARGET [libFuzzer's options, and folders of inputs]
@_cdecl("LLVMFuzzerInitialize")
func begin(
    _ count: UnsafeMutablePointer<Int32>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    let name = count.pointee > 1 ? words.pointee[1].map { String(cString: $0) } : nil
    guard let target = name.flatMap(FuzzTarget.init) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        print("usage: fuzz TARGET [OPTION]... [FOLDER]...; targets: \(names)")
        exit(64)
    }
    chosen = target
    // libFuzzer gets the program's name and the words after the target.
    words.pointee[1] = words.pointee[0]
    words.pointee += 1
    count.pointee -= 1
    return 0
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
func check(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try chosen?.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        // For libFuzzer a finding is a crash.
        fatalError("\(error)")
    }
    return 0
}
