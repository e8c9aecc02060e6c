// What this program was built with, what it found on this machine, and what to do if that is not what was hoped for.
#include <gpu/show_config.hpp>

int main() { gpu::show_config(); }
