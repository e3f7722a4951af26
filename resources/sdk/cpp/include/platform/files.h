// Files that are replaced as a whole, and the environment.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace platform::detail {

// An environment variable; empty when it is not set.
inline std::string env(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// An environment variable, which leaves the environment: programs that this one starts inherit the rest.
inline std::string take_env(const char* name) {
    const std::string given = env(name);
#ifdef _WIN32
    ::_putenv_s(name, "");
#else
    ::unsetenv(name);
#endif
    return given;
}

inline std::string folder_of(const std::string& path) {
    const auto slash = path.find_last_of("/\\");
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

[[noreturn]] inline void fail(const std::string& what, const std::string& path) {
    throw std::system_error(errno, std::generic_category(), what + " " + path);
}

inline std::string temporary_beside(const std::string& path) {
    static std::atomic<unsigned> counter{0};
#ifdef _WIN32
    const int pid = _getpid();
#else
    const int pid = static_cast<int>(getpid());
#endif
    return folder_of(path) + "/.tmp-" + std::to_string(pid) + "-" + std::to_string(++counter);
}

#ifndef _WIN32
inline void write_all(int file, const char* data, std::size_t size, const std::string& path) {
    while (size > 0) {
        const ssize_t written = ::write(file, data, size);
        if (written < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) {
                pollfd full{file, POLLOUT, 0};
                ::poll(&full, 1, -1);
                continue;
            }
            fail("cannot write", path);
        }
        data += written;
        size -= static_cast<std::size_t>(written);
    }
}
#endif

#ifndef _WIN32
// Opens a new file beside `path` and puts its name into `temporary`. Skips names that an earlier process with the same id left
// behind: in a container each start has the same id.
inline int create_beside(const std::string& path, std::string& temporary) {
    for (;;) {
        temporary = temporary_beside(path);
        const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0) return file;
        if (errno != EEXIST) fail("cannot create", temporary);
    }
}
#endif

// Readers see the old text or the new one, never a mix, also after a power cut.
inline void replace_file(const std::string& path, const std::string& text) {
#ifdef _WIN32
    const std::string temporary = temporary_beside(path);
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (file == nullptr) fail("cannot create", temporary);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
                         _commit(_fileno(file)) == 0;
    std::fclose(file);
    if (!written || !MoveFileExA(temporary.c_str(), path.c_str(), MOVEFILE_REPLACE_EXISTING)) {
        std::remove(temporary.c_str());
        throw std::runtime_error("cannot write " + path);
    }
#else
    std::string temporary;
    const int file = create_beside(path, temporary);
    try {
        write_all(file, text.data(), text.size(), temporary);
#ifdef __APPLE__
        if (::fsync(file) != 0) fail("cannot store", temporary);
#else
        if (::fdatasync(file) != 0) fail("cannot store", temporary);
#endif
        if (::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot replace", path);
    } catch (...) {
        ::close(file);
        ::unlink(temporary.c_str());
        throw;
    }
    ::close(file);
#endif
}

// The content of a file; nothing when it does not exist. A link at its end is not followed.
inline std::optional<std::string> read_plain(const std::string& path) {
#ifdef _WIN32
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
#else
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENOENT) return std::nullopt;
        fail("cannot read", path);
    }
    std::string text;
    char buffer[65536];
    for (;;) {
        const ssize_t size = ::read(file, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) {
            ::close(file);
            fail("cannot read", path);
        }
        if (size == 0) break;
        text.append(buffer, static_cast<std::size_t>(size));
    }
    ::close(file);
    return text;
#endif
}

}  // namespace platform::detail
