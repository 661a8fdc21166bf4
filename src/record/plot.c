#include "souple/record.h"
